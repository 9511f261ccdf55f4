/** Code of PHP: tags, variables, streams, functions, settings. */
import type { Rule, RuleInput } from '../rule-format.ts'
import { ANYWHERE, condition, FILE_CONTENT, ownRule, REFLECTED } from './own-rule.ts'

const php = (id: string, name: string, regex: string, where: readonly RuleInput[] = REFLECTED): Rule =>
  ownRule(`php-${id}`, 'php_code_injection', name, [condition(where, { regex })])

export const PHP_RULES: readonly Rule[] = [
  php(
    'tags',
    'PHP tags',
    String.raw`<\?(?:php\s|=|\s+(?:echo|system|eval|include|require|\$|print|passthru|exec)|$)|\[/?php\]|\[\\php\]|<script\s+language\s*=\s*['"]?php`,
    [...ANYWHERE, ...FILE_CONTENT],
  ),
  php(
    'superglobals',
    'Superglobal variables of PHP',
    String.raw`\$\s*(?:\{\s*['"]?\s*)?_(?:get|post|request|cookie|server|session|files|env)\b\s*['"]?\s*[\[{}),;.\]]|\$(?:globals|http_raw_post_data|argv)\b|\$\s*\{\s*(?:\$\w|['"]\w+['"]\s*\.|['"]_)|\$\s+\{\s*['"$]`,
  ),
  php(
    'streams',
    'Stream wrappers of PHP',
    String.raw`\b(?:php://(?:input|filter|stdin|memory|temp|fd)|phar://|expect://|zlib://|compress\.(?:zlib|bzip2)://|glob://|ogg://|rar://|ssh2(?:\.(?:shell|exec|tunnel|sftp|scp))?://|zip://|data:(?:text/plain|application/x-httpd-php)(?:[;,]|$))`,
    ANYWHERE,
  ),
  php(
    'functions',
    'Functions of PHP that run code or programs, read files or hide code',
    String.raw`(?:base64_decode|call_user_func(?:_array)?|create_function|shell_exec|passthru|proc_open|pcntl_exec|popen|fsockopen|pfsockopen|file_(?:get|put)_contents|gzinflate|gzuncompress|gzdecode|str_rot13|move_uploaded_file|highlight_file|show_source|phpinfo|readfile|php_uname|getmyuid|posix_\w+|array_(?:map|filter|walk|diff|reduce)|preg_replace(?:_callback)?|register_shutdown_function|ini_set|ini_get_all|unserialize|get_defined_vars|error_log|symlink|chroot|\bpg_\w+|\bldap_\w+|\bodbc_\w+|\bmysqli?_\w+|\bsodium_(?:crypto|bin2|hex2|mem)\w+|\btidy_\w+|\bzend_\w+|\bdate_add|bzopen|\bdl|parse_ini_file|opendir|scandir|is_writable|spl_autoload)\s*(?:/\*[^*]*\*/|#[^\n]{0,40}\n|//[^\n]{0,40}\n)?\s*\(`,
  ),
  php(
    'system-call',
    'A call of a short PHP function that runs a program',
    String.raw`\b(?:system|exec|eval|assert|include(?:_once)?|passthru)\s*(?:/\*[^*]*\*/|#[^\n]{0,40}\s)?\s*\(\s*(?:['"\x60](?:[^'"\x60\n]*['"\x60]\s*\)\s*;|https?:|php:|data:|\.\./|/)|\$|base64|chr\(|gz|str_|hex2bin|whoami|id|ls|\w+\s*\()|\(\s*['"(]?\s*(?:system|exec|passthru|shell_exec|phpinfo|assert)\s*['")]?\s*\)\s*(?:/\*[^*]*\*/)?\s*\(|\[\s*['"]?\s*(?:system|exec|passthru)\s*['"]?\s*\]\s*[\[({]|['"](?:system|exec|passthru|phpinfo)['"]\s*\(`,
  ),
  php(
    'request-run',
    'Code or a command that is taken from the request and run',
    String.raw`\b(?:eval|assert|system|exec|passthru|shell_exec|popen|proc_open|pcntl_exec|create_function|call_user_func(?:_array)?)\s*\(\s*@?(?:\w{1,20}\s*\(\s*@?){0,3}\$\{?['"]?_(?:get|post|request|cookie|server|files)\b|\$_(?:get|post|request|cookie)\s*[\[{][^\]}\n]{1,40}[\]}]\s*\(`,
    [...ANYWHERE, ...FILE_CONTENT],
  ),
  php(
    'variable-call',
    'A value that calls whatever a variable names',
    String.raw`^[\s@(]*\$\s*(?:\{[^}]+\}|\w+)\s*(?:(?:\[[^\]]+\]|\{[^}]+\})\s*)*\([^()]*\)\s*;?\s*$`,
  ),
  php(
    'whole-call',
    'A value that is the call of a PHP function',
    String.raw`^[\s@]*(?:assert|base64_(?:de|en)code|chr|constant|eval|exec|explode|file|fopen|fwrite|getenv|glob|hex2bin|implode|md5|mkdir|opendir|ord|pack|passthru|phpversion|print_r|readdir|rename|rmdir|scandir|sha1|shell_exec|str_replace|strip_tags|strrev|substr|system|touch|unlink|unpack|urldecode|usleep|var_dump)\s*(?:/\*[^*]*\*/|(?:#|//)[^\n]*\n)?\s*\([^()]*\)\s*;?\s*$`,
  ),
  php(
    'settings',
    'A setting of PHP, set',
    String.raw`\b(?:allow_url_(?:fopen|include)|auto_(?:append|prepend)_file|disable_(?:functions|classes)|open_basedir|safe_mode|magic_quotes_gpc|register_globals|suhosin\.\w+|opcache\.\w+|mbstring\.\w+|session\.(?:save_path|save_handler|use_trans_sid|upload_progress\.\w+)|extension_dir|user_ini\.\w+|cgi\.force_redirect|phar\.readonly|zend\.\w+|assert\.\w+|soap\.wsdl\w+|error_log|include_path|sendmail_path|unserialize_callback_func)\s*(?:=|%3d)\s*(?:on|off|true|false|\d|/|php|data|['"])`,
  ),
]
