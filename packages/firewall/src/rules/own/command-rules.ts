/** Commands of Unix shells, Windows and PowerShell; commands smuggled into mail protocols. */
import type { Rule } from '../rule-format.ts'
import { ANYWHERE, condition, ownRule, PARAMETERS, REFLECTED } from './own-rule.ts'

const command = (id: string, name: string, regex: string, where = REFLECTED): Rule =>
  ownRule(`rce-${id}`, 'command_injection', name, [condition(where, { regex })])

/**
 * Programs that an attacker runs first, and that prose seldom follows with an option or a path. These lists are in the order of the alphabet: of
 * neighbours RE2 makes one branch for the letters that they begin with, and so small is the expression run as a DFA, a hundred times as fast.
 */
const PROGRAMS =
  'adduser|apk|apt|apt-get|aria2c|arp|awk|base32|base64|bash|busybox|cat|cd|chmod|chown|cp|crontab|csh|curl|dash|dd|dig|dnf|docker|echo|egrep|env|eval|exec|ftp|gawk|gcc|gdb|git|grep|gunzip|gzip|hexdump|hostname|id|ifconfig|ip|killall|ksh|kubectl|ln|ls|lsblk|lsof|ltrace|lwp-download|lwp-request|mkdir|mv|mysql|nc|ncat|netcat|netstat|nl|nohup|npm|nslookup|od|openssl|passwd|perl|php\\d?|pip[23]?|pkill|printenv|printf|ps|psql|pwd|python[23]?(?:\\.\\d+)?|reboot|redis-cli|rm|rsync|scp|sed|sendmail|sh|socat|sqlite3|ss|ssh|strace|strings|su|sudo|systemctl|tac|tar|tcsh|tee|telnet|tftp|traceroute|umount|uname|unzip|useradd|usermod|wget|whoami|xargs|xxd|yum|zip|zsh'
/** Programs whose name is a word of its own: they count with an option or a path only. */
const WORDS =
  'alias|at|cc|cut|dir|export|fetch|find|fish|halt|head|history|host|kill|last|less|lua|mail|make|more|mount|node|ping6?|route|ruby|service|set|shutdown|sleep|tail|top|touch'
const SURE_ARGUMENT = String.raw`\s+(?:-{1,2}[a-z]|/(?:\w|\s+-)|~/|\.\.?/|\$[\w{(]|['"]/|https?://|[\w-]+\.(?:sh|py|pl|php|txt|conf|log|db|sql|gz|exe)\b)`
const UNIX_ARGUMENT = String.raw`(?:${SURE_ARGUMENT}|\s*(?:[<>|;&\x60)]|\$\{?IFS))`
const SEPARATOR = String.raw`(?:;|\|\||&&?|\$\(|<\(|>\(|\{)`
/** Variables, what runs another program, and its folder. */
const LEADING = String.raw`\s*(?:\w+=\S*[ \t]+)*(?:(?:sudo|nohup|time|env|exec|command|xargs|busybox|strace)\s+)?(?:/(?:usr/)?(?:local/)?s?bin/)?`

/** After a pipe; a name between two pipes is the cell of a table. */
const PIPED_ARGUMENT = UNIX_ARGUMENT.replace('[<>|;&', '[<>;&')

export const COMMAND_RULES: readonly Rule[] = [
  command(
    'separator',
    'A program after a command separator',
    String.raw`(?:${SEPARATOR}${LEADING}(?:(?:${PROGRAMS})${UNIX_ARGUMENT}|(?:${WORDS})${SURE_ARGUMENT}))|\|${LEADING}(?:(?:${PROGRAMS})${PIPED_ARGUMENT}|(?:${WORDS})${SURE_ARGUMENT})`,
  ),
  // Titles and lists have a bar or an ampersand between blanks, and a word of prose behind it.
  command(
    'separator-end',
    'A value that ends in a command separator and the name of a program',
    String.raw`^[^\n]{0,64}(?:(?:;|\|\|?|&&?|\$\()\s*["']?(?:${PROGRAMS})|(?:(?:;|\|\||&&|\$\()\s*|[|&])["']?(?:${WORDS}))["']?\)?\s*$`,
  ),
  // Text of many lines has lines that begin with the names of programs: what counts is the first line break.
  ownRule(
    'rce-line-break',
    'command_injection',
    'A program in the second line of a value',
    [
      condition(PARAMETERS, {
        regex: String.raw`^[^\r\n]{0,120}[\r\n]+${LEADING}(?:${PROGRAMS})${UNIX_ARGUMENT}[^\r\n]{0,120}$`,
      }),
    ],
    { ownLines: true },
  ),
  ownRule(
    'rce-obfuscated',
    'command_injection',
    'A program after a separator, once quotes and escapes are taken out',
    [
      condition(
        REFLECTED,
        {
          regex: String.raw`(?:;|\|\|?|&&|\$\()\s*(?:/(?:usr/)?s?bin/)?(?:cat|tac|less|head|tail|wget|curl|nc|ncat|bash|sh|python[23]?|perl|ruby|php|id|whoami|uname|ifconfig|chmod|nslookup|ping)(?:\s+(?:-|/|~|\$|https?:|[\d.]+)|\s*(?:[|;&<>)\x60]|$))`,
        },
        ['cmdLine'],
      ),
    ],
  ),
  command(
    'quoted-program',
    'A program in quotes after a command separator, with an argument',
    String.raw`(?:;|\|\|?|&&?|\n|\$\()\s*(?:'(?:${PROGRAMS})'|"(?:${PROGRAMS})")\s+(?:-{1,2}[a-z]|/|~|\.\.?/|\$|https?:)`,
  ),
  command(
    'whole-value',
    'A value that is a command line',
    String.raw`^\s*(?:(?:sudo|nohup|time|env|strace|ltrace|command|exec)\s+(?:-\w+\s+)*)?(?:/(?:usr/)?(?:local/)?s?bin/)?(?:(?:cat|tac|head|tail|less|nl|xxd|strings|base64|base32|cp|mv|rm|chmod|chown|touch|find|grep|awk|sed|tar|bsdtar|gunzip|zcat|bzcat|xzcat|unxz|zstdcat|ls|ll|c[89]9|curl|wget|nc|ncat|socat|telnet|ssh|scp|bash|dash|zsh|ksh|sh|python[23]?|perl|ruby|php|lua|gcc|ping6?|nslookup|dig|kill|systemctl|useradd|usermod|crontab|mount|dd|openssl|busybox|gdb|pip[23]?|npm|apt-get|ansible|docker|kubectl|env|perf)\s+(?:-{1,2}[a-z][\w-]*|/[\w.*?/-]+|~/\S*|\.\.?/\S+|https?://\S+|\$\w+)(?:\s|$|['"|;&])|(?:whoami|ifconfig|uname\s+-a|netstat|printenv|ls\s+-\w+|ps\s+(?:-\w+|aux\w*)|id\s*;)\s*(?:$|[|;&<>]))`,
  ),
  command(
    'wrapped-recon',
    'A program that only tells about the machine, run through another',
    String.raw`\b(?:time|nohup|strace|ltrace|sudo|env|exec|command|timeout\s+\d+|nice|setsid|stdbuf|xargs)\s+(?:-{1,2}\w+\s+)*(?:sh\s+-c\s+\S|bash\s+-c\s+\S|whoami\b|ifconfig\b|uname\b|netstat\b|id\s*$|who\s*$|ps\s*$|ls\s*$)`,
  ),
  command(
    'substitution',
    'Command substitution or process substitution',
    String.raw`\$\(\s*(?:\(|[<]\s*/|(?:/?(?:usr/)?s?bin/)?(?:${PROGRAMS})(?:\s+[-/$'"\w.]|\s*[|;<>)]))|[<>]\(\s*(?:/[\w./-]*|(?:${PROGRAMS}))[\s)]`,
    REFLECTED,
  ),
  // Markdown writes names of programs in backticks: what counts is a program with a path or an option, or that alone.
  command(
    'backticks',
    'A program with its arguments in backticks, or a value that is that',
    String.raw`\x60\s*(?:/(?:usr/)?(?:local/)?s?bin/\w|(?:cat|ls|curl|wget|nc|ncat|ping|nslookup|dig|echo|bash|sh|printf|perl|python\d?|uname|id|sleep|tail|head)\s+(?:-\w{1,3}\s+)*(?:/etc/|/bin/|/tmp/|/proc/|/var/|/dev/|\||>|\d+\s*\x60|\d+\.\d+\.\d|https?://\d|-c\s|-[en]\s))|^[^\n\s\x60]{0,40}\x60\s*(?:(?:cat|id|ls|whoami|uname|curl|wget|nc|sleep|ping|nslookup|echo|bash|sh|env|ps|pwd|hostname|printf|perl|python)\b[^\x60]*)\x60[^\n\s]{0,40}$`,
  ),
  // A component that begins and ends with an asterisk is a comment of C or SQL between two slashes; one that only ends with it, prose about files.
  command(
    'expansion-trick',
    'Shell expansions that hide words',
    String.raw`\$\{?IFS\b|\$\{(?:PATH|HOME|PWD|SHELL|IFS|#)[:#%]|\$(?:PATH|PWD|HOME|SHELL):\d|[a-z]\$[@*!?_#]\w|\$'\\[0-7x]|(?:^|[;|&\s{])\{\s*(?:cat|ls|wget|curl|echo|nc|bash|sh|id|cd|ping|ip|ifconfig)?,(?:[^}\n]+,?)\}|/(?:(?:(?:\w+[?*]|\?\w|\w+\[[?*!^\w]{1,4}\]|\[[?*!^\w]{1,4}\]\w)[\w?*]*|\*\w(?:[\w?*]*[\w?])?)/)+[\w?*\[\]]+|/(?:etc|bin|sbin|usr|dev|proc|var|tmp)/(?:\w+/)*(?:\w+\?\w*|\w+\*\w+|[?*]\w+|\w*\[[^\]\s/]{1,3}\]\w)|/\w*[a-z]\$\$[a-z]|[;|&\x60(\n]\s*\w{1,20}\s*<<<|/(?:(?:bin|etc|usr|var|tmp|dev|proc)/?\w*|\w{0,3}/?)\?{2,}\w*|/[\w?*]*\?[\w?*]*/[\w?*]*\?[\w?*]*`,
    PARAMETERS,
  ),
  command(
    'shell-paths',
    'Paths of programs and devices',
    String.raw`(?:^|[\s"'=;|&(<>\x60$}{,:])/?(?:usr/)?(?:local/)?s?bin/(?:${PROGRAMS}|sh|env|visudo|chef|ansible|cscli)\b|/dev/(?:tcp|udp)/[\w.-]+/\d|(?:bash|sh|zsh)\s+-i\b|0?<&\d|\d?>&\s?\d|\bmkfifo\s+/|\bnc\s+(?:-\w+\s+)*(?:-e|-c|[\w.]+\s+\d{2,5})\b`,
    ANYWHERE,
  ),
  command(
    'shellshock',
    'Shell function definition in a variable',
    String.raw`\(\s*\)\s*\{\s*(?:[:_;\w]|$)[^}]*;?\s*\}\s*;|^\s*\(\s*\)\s*\{`,
    ANYWHERE,
  ),
  command(
    'fork-bomb',
    'Shell function that calls itself through a pipe',
    String.raw`[\w:.%@+-]+\s*\(\s*\)\s*\{[^}|]*\|[^}]*&[^}]*\}\s*;?`,
    PARAMETERS,
  ),
  command(
    'shell-variable-run',
    'A variable assigned and run',
    String.raw`(?:^|[;&|\s])\w{1,32}=[^;&|\s]+\s*(?:;|&&?|\|\|?)\s*(?:\$\{?\w|\w*\$\w)|(?:;|&&|\|)\s*\$\{?[a-z]\w*\}?\s+(?:-|/)\S`,
  ),
  command(
    'administration',
    'Programs that administer many machines, or protect one',
    String.raw`(?:^|[;|&\n])\s*(?:time\s*;?\s*)?["']?(?:visudo|ansible-(?:config|console|doc|galaxy|inventory|playbook|pull|vault)|chef-(?:client|shell|solo|vault|apply|run)|cscli)["']?(?:\s+[\w-]|\s*$)|(?:^|[;|&\n])\s*(?:ansible\s+\S+\s+-|chef\s+(?:exec|env|gem|shell-init)\b|perf\s+(?:record|stat|script|trace)\b)`,
  ),
  command(
    'empty-substitution',
    'An empty substitution that holds the name of a program apart, or one that runs a single word',
    String.raw`^\w{1,12}(?:\x60\x60|\$\(\)|\$\{\})\w*(?:\s|$)|^\$\(\s*\w{1,16}(?:\$\(\))?\s*\)$|^\$\[\]$|/\w*\[[?*!^][^\]\s/]{0,6}\]\w+`,
  ),
  command(
    'alias',
    'An alias defined and used, or a value that defines one',
    String.raw`\balias\s+['"]?\w+['"]?=\s*['"]?[\w/.$-]+['"]?\s*(?:[;&|\n])|^\s*alias\s+(?:[+-]\w+\+?\s+)*['"]?\w+['"]?=\S`,
  ),
  command(
    'windows-control',
    'FOR and IF of the Windows command line',
    String.raw`\bfor(?:\s+/[dflr]\b[^%]*)?\s+%{1,2}[^\s%]{1,16}\s+in\s*\(|\bif\s+(?:/i\s+)?(?:not\s+)?(?:exist\s+["']?[\w:\\/.%*"-]+\s+\S|defined\s+\w+\s+(?:cmd|set|echo|goto|call|\()|errorlevel\s+\d|cmdextversion\s+\d|\(?["'%\[]*[\w~%!:+, ]*["'%\]]*\)?\s*==\s*["'%\[]|\(?["%\[]?[^\s"]+\s+(?:equ|neq|lss|leq|gtr|geq)\s+\S)|\bif\s+/i\s+(?:not\s+)?\S+==\S+`,
  ),
  command(
    'windows',
    'Programs of Windows after a separator or with their options',
    String.raw`\bcmd(?:\.exe)?\s*(?:/[ckv]\b|&|<\s*[^\s<>]*[\\/.])|(?:^|[;|&\n\x60(])\s*(?:(?:net|net1)\s+(?:user|localgroup|view|share|group|use|start|stop)|tasklist|taskkill|systeminfo|ipconfig|wmic|reg\s+(?:add|query|delete|save)|regedit\s+/|schtasks|certutil|bitsadmin|mshta|rundll32|regsvr32|cscript|wscript|icacls|attrib|whoami\s*/\w+|quser|qwinsta|vssadmin|bcdboot|bcdedit|netsh|dsquery|nltest|msiexec|type\s+(?:c:|%|\\|\w+\.\w{2,4}\s*$)|copy\s+(?:c:|\\|/y)|del\s+/|dir\s+(?:c:|\\|/[abs]))(?:\s|$|/|\\|\.exe)|\b(?:certutil(?:\.exe)?\s+(?:-\w+\s+)*-(?:urlcache|decode|encode)|bitsadmin\s+/transfer|mshta\s+(?:https?|vbscript|javascript):|regsvr32\s+/|rundll32\s+\S+,|vssadmin\s+delete|wmic\s+(?:process|os|useraccount|/node))`,
  ),
  command(
    'powershell',
    'PowerShell and its commands',
    String.raw`\b(?:powershell|pwsh)(?:\.exe)?(?:\s+[-/](?:e|en|enc|encodedcommand|c|command|nop|noprofile|w|windowstyle|ep|exec\w*|nol\w*|noni\w*|f|file|sta|v)\b|\s*$|\s+["'&{(])|(?:^|[;|&(\n]\s*)(?:(?:iex|iwr|irm|iwmi|icm|saps)\s+(?:[-$"'(\[{@]\W{0,8}\w+|https?)|iex\s*$|invoke-(?:expression|webrequest|restmethod|command|wmimethod|item|mimikatz)|start-process|get-(?:process|childitem|content|wmiobject|ciminstance|service|eventlog|acl)|set-(?:executionpolicy|content|item\w*)|new-object\s+(?:system\.)?net|add-type|out-file|downloadstring|export-csv|import-module|start-bitstransfer)\b|\bnew-object\s+(?:system\.)?net\.(?:webclient|sockets)|\.download(?:string|file|data)\s*\(|\bfrombase64string\s*\(|\[(?:system\.)?(?:convert|reflection\.assembly|text\.encoding|net\.webclient)\]::`,
  ),
  command(
    'sqlite-shell',
    'Commands of the SQLite shell',
    String.raw`(?:;|\n|\\n)\s*\.\s?(?:shell|system|databases?|tables?|schema|dump|import|load|output|read|open|backup|excel|once|log|auth|save|restore|clone)\b`,
  ),
  ownRule(
    'rce-mail-protocol',
    'command_injection',
    'Commands of SMTP, IMAP or POP3 after a line break',
    [
      condition(PARAMETERS, {
        regex: String.raw`[\r\n]\s*(?:mail\s+from\s*:\s*<?\S*[@>]|rcpt\s+to\s*:\s*<?\S)|^[^\r\n]{0,200}[\r\n]+\s*(?:[eh][eh]lo\s+[\w.\[-]+\s*$|(?:vrfy|expn)\s+\S+\s*$|starttls\s*$|[a-z]{1,4}\d{1,4}\s+(?:authenticate\s+[a-z]|(?:status|append|examine|select|create|delete|rename|subscribe|login)\s+\S|list\s+[\x22']|uid\s+(?:store|fetch|copy|search)\b|(?:store|fetch|copy)\s+[\d*:]+\s|search\s+(?:all|charset|deleted|flagged|from|since|subject|text|unseen)\b|(?:quit|logout|noop|capability)\s*$)|auth\s+(?:plain|login|cram-md5|ntlm)\b|(?:retr|dele|top|uidl)\s+\d+(?:\s+\d+)?\s*$|(?:data|quit|stat|rset)\s*(?:[\r\n]|$))`,
      }),
    ],
    { severity: 'high', ownLines: true },
  ),
]
