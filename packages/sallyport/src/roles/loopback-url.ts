/** The URL of what listens on an address of this machine. */
export const httpUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** How a program on this machine reaches a part: by loopback, unless the part listens on one other address only. */
export const loopbackUrl = (host: string, port: number): string =>
  httpUrl(['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host, port)
