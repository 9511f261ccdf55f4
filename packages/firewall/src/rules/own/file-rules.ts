/** Files: those of the system, those that should not be served, those that a server would execute. */
import { ADDRESSES } from '../../request/addresses.ts'
import type { Rule } from '../rule-format.ts'
import { condition, FILE_NAMES, ownRule, PARAMETERS, PATHS } from './own-rule.ts'

const LOGGED_HEADERS = ['user-agent', 'referer'].map((name) => ({
  address: ADDRESSES.header,
  key_path: [name],
}))

/** Only a shell knows whose home a tilde is, and commands are found by rules of theirs; in prose it is how people name a file of their own. */
const SYSTEM_FILE = String.raw`(?:/|\\)?(?:etc[\\/]+(?:passwd|shadow|group|gshadow|hosts|sub[ug]id|sudoers|crontab|issue|fstab|mtab|resolv\.conf|ssh|ssl|apache2|nginx|httpd|mysql|php\d?|init\.d|profile|security|ldap|samba|proftpd|vsftpd|my\.cnf|motd|os-release|network|pam\.d|cron\.\w+)\b|proc[\\/]+(?:self|version|cpuinfo|meminfo|net|sys|cmdline|mounts|\d+|sched_debug|interrupts|stat)\b|var[\\/]+(?:log|mail|spool|lib/mysql|run/secrets)[\\/]|root[\\/]+\.|home[\\/]+\w+[\\/]+\.\w|sys[\\/]+(?:class|kernel|devices|fs|module)\b|dev[\\/]+(?:shm|tcp|udp|sd[a-z]\d?|kmem|mem)\b|boot[\\/]+grub|tmp[\\/]+(?:\w+\.(?:sh|py|pl|php|so|elf)|curl|sess_)|windows[\\/]+(?:system32[\\/]+(?:config|drivers|inetsrv|logfiles|[\w-]+\.exe)\b|win\.ini|system\.ini|repair|panther)|winnt[\\/]|boot\.ini|inetpub[\\/]+(?:wwwroot|logs)|c:[\\/]+(?:boot\.ini|inetpub[\\/]|xampp[\\/]))|(?:^[\\/]?|[^~][\\/])(?:\.ssh[\\/]|\.aws[\\/]credentials|\.git[\\/](?:config|head|index)|\.bash_history|\.env\b|\.htpasswd|\.npmrc|\.kube[\\/]config|wp-config\.php|id_rsa|web\.config|web-inf[\\/])`

export const FILE_RULES: readonly Rule[] = [
  ownRule('upload-executable', 'unrestricted_file_upload', 'Upload of a file that a server may execute', [
    condition(FILE_NAMES, {
      regex: String.raw`\.\s*(?:ph(?:p\d*|tml?|ar|ps|t|pt)|jsp[xfw]?|jsw|jsv|asp|aspx|ashx|asmx|cer|asa|cshtml|cfm|cfml|cfc|pl|cgi|py|rb|sh|war|jar|do|action|tagx?|htaccess|htpasswd|user\.ini|exe|dll|bat|cmd|ps1|vbs|hta)(?:\s*\.\s*(?:jpe?g|png|gif|txt|pdf|ico))?[\s.;:%\x00]*$|^\.(?:htaccess|htpasswd|user\.ini|boto|netrc|npmrc|env)$|(?:^|[\\/])sess_[0-9a-z]{16,}$|wp-config|web\.config|(?:^|[\\/])\.\.[\\/]`,
    }),
  ]),
  ownRule('sensitive-file', 'sensitive_file', 'A file or folder that should not be served', [
    condition(PATHS, {
      regex: String.raw`/(?:\.(?:git|svn|hg|bzr|env|aws|ssh|docker|kube|npmrc|netrc|htpasswd|htaccess|ds_store|bash_history|zsh_history|mysql_history|vscode|idea|claude|cursor|continue|aider|codex|gemini|windsurf|terraform|pypirc|dockercfg|pgpass|my\.cnf|s3cfg|boto|gnupg|config/gcloud)(?:[./_-][^?]*)?|wp-config(?:\.\w+)*|web\.config|id_[rd]sa|id_ed25519|authorized_keys|server-status|server-info|phpinfo\.php|adminer[\w.-]*\.php|composer\.(?:json|lock)|(?:dump|backup|database|db|site|www)\.(?:sql|zip|tar|tar\.gz|tgz|bak|gz|rar|7z)(?:\.\w+)?|[\w-]+\.sql\.(?:gz|zip|bz2)|actuator/(?:env|heapdump|jolokia|gateway|loggers|threaddump)|@fs/.*|sys/(?:class|kernel|devices|block)(?:/.*)?|proc/(?:self|version|cpuinfo|meminfo|net|interrupts|\d+|sys|cmdline)(?:/.*)?|etc/(?:passwd|shadow|hosts|group)|meta-inf/.*|web-inf/.*|boot\.ini|win\.ini|\w+\.php[~.](?:bak|old|swp|save|orig|txt)?)$`,
    }),
  ]),
  ownRule('os-file', 'lfi', 'A file of the operating system or of an account', [
    condition(PARAMETERS, { regex: `(?:^|[\\r\\n'"=:,;|&<>@\\x60]|[^\\s(][\\\\/])${SYSTEM_FILE}` }),
  ]),
  // Standards put documents for programs under `.well-known`; what other hidden folders hold is for whoever owns them.
  ownRule(
    'hidden-file',
    'sensitive_file',
    'A file of settings or secrets in a hidden folder, or a log of errors',
    [
      condition(PATHS, {
        regex: String.raw`/\.(?:[a-vx-z0-9][\w-]{0,30}|w[a-df-z0-9][\w-]{0,30}|we[\w-]{0,3})/(?:[\w.-]{1,40}/){0,4}[\w.-]{0,40}\.(?:json|ya?ml|toml|env|ini|conf|cfg|md|sh|log|key|pem)$|/\.[a-z]{1,20}ignore$|/(?:debug|errors?|access)[\w-]{0,8}\.log$`,
      }),
    ],
  ),
  // Behind a blank or a bracket it may be prose, or a line of a log.
  ownRule('os-file-in-text', 'lfi', 'A file of the operating system or of an account, in a text', [
    condition(PARAMETERS, { regex: `[\\t (]${SYSTEM_FILE}` }),
  ]),
  ownRule('os-file-agent', 'lfi', 'A file of the operating system in a header that applications log', [
    condition(LOGGED_HEADERS, {
      regex: String.raw`(?:/etc/(?:passwd|shadow|group|hosts|apache2|ssh|nginx|crontab|sudoers)|/proc/(?:self|version|net|sys|cpuinfo)|/root/\.|/\.ssh/|/var/log/|/etc/\w*\*|/et\*/)`,
    }),
  ]),
  ownRule('traversal', 'lfi', 'Steps up a directory tree', [
    condition([...PARAMETERS, ...FILE_NAMES], {
      regex: String.raw`(?:^|[\\/=:;'"])\.{2,3}[\\/;](?:\.{2,3}[\\/;]|\w)|(?:\.\.[\\/]){2,}|[\\/]\.\.;[\\/]|(?:^|[\\/;])\.{2};\.?[\\/.;]|\.\.%(?:2f|5c|c0%af)|^\.\.[\\/]\w`,
    }),
  ]),
]
