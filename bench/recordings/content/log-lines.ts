/** Lines of logs as servers, applications, telephones and browsers write them. */
/** Draws by chance. */
export interface Chance {
  /** From 0 to `max`, without it. */
  integer(max: number): number
  pick<T>(list: readonly T[]): T
}

/** A line about somebody, with an identifier. */
export function logLine({ integer, pick }: Chance, person: string, id: string): string {
  const time = new Date(1_790_000_000_000 + integer(1e10)).toISOString()
  const number = integer(1e6)
  const worker = integer(20)
  const milliseconds = integer(9_000)
  const serverLines = [
    `${time} INFO  [http-nio-8080-exec-${worker}] o.s.web.servlet.DispatcherServlet - Completed initialization in ${worker} ms`,
    `${time} WARN  db: slow query (${milliseconds} ms): SELECT o.id, c.name FROM orders o
      JOIN customers c ON c.id = o.customer_id WHERE o.status = 'open'`,
    `${time} ERROR user=${JSON.stringify(person)} request=${id} path=/api/orders/${number} err="ECONNRESET: socket hang up"`,
    `10.0.${worker}.17 - - [${time}] "GET /static/app.${id.slice(0, 8)}.js?v=2 HTTP/1.1" 304 0 "-" "Mozilla/5.0 (X11; Linux)"`,
    `kernel: [${number}.12] eth0: link up (1000Mbps/Full duplex)
      cron[${number}]: (root) CMD (/usr/bin/run-parts /etc/cron.hourly)`,
    `nginx: [warn] ${worker}#0: *${number} an upstream response is buffered to a temporary file while reading upstream,
      request: "GET /export.csv?from=2026-01-01&to=2026-06-30 HTTP/2.0"`,
    `[mailer] queued <${id}@mail.example.org> to="${person}" subject="Your order #${number}" status=250 2.0.0 Ok`,
  ]
  const applicationLines = [
    `    at Object.<anonymous> (/srv/app/node_modules/pg/lib/client.js:${worker}:${worker + 3})`,
    `[${time}] payment ${id} declined for ${person}: "insufficient funds" (code=51; retry=false)`,
    `level=info ts=${time} caller=main.go:${worker} msg="cart restored" items=${worker} total=${(number / 100).toFixed(2)}`,
    `${time} DEBUG cache miss key="user:${id}:cart" ttl=3600 -> loaded in ${milliseconds}ms (hits: ${worker}%)`,
    `W/Choreographer(${number}): Skipped ${worker} frames! The application may be doing too much work on its main thread.`,
    `Traceback (most recent call last):
  File "/srv/app/orders/views.py", line ${worker}, in get
    order = Order.objects.get(pk=${number})
orders.models.Order.DoesNotExist: Order matching query does not exist.`,
    `Exception in thread "worker-${worker}" java.lang.IllegalStateException: Duplicate key ${number}
      (attempted merging values ${person} and null)`,
    `Uncaught (in promise) DOMException: The play() request was interrupted by a call to pause(). https://goo.gl/LdLk22`,
    `Refused to load the script 'https://cdn.example.net/w.js' because it violates the following Content Security Policy
      directive: "script-src 'self' 'nonce-${id.slice(0, 8)}'".`,
  ]
  return pick([...serverLines, ...applicationLines])
}
