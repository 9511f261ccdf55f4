/** How a program on this machine reaches a part: by loopback, unless the part listens on one other address only. */
export function loopbackUrl(host: string, port: number): string {
  const name = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
