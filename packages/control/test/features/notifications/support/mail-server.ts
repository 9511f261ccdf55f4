/** A mail server on this machine, which offers STARTTLS and remembers what it took. */
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface ReceivedMail {
  readonly to: readonly string[]
  readonly from: string
  readonly isSecure: boolean
  /** The whole message, as it came. */
  readonly source: string
}

/** Starts it. `refuse` answers a recipient with an error where it returns one. */
export async function startMailServer(
  options: SMTPServerOptions = {},
  refuse: (address: string) => Error | null = () => null,
  host = '127.0.0.1',
) {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    ...options,
    onRcptTo: ({ address }, _session, callback) => callback(refuse(address)),
    onData: (stream, session, callback) => {
      text(stream).then((source) => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          to: rcptTo.map(({ address }) => address),
          from: mailFrom ? mailFrom.address : '',
          isSecure: session.secure,
          source,
        })
        callback()
      }, callback)
    },
  })
  server.on('error', () => undefined)
  server.listen(0, host)
  await once(server.server, 'listening')
  const address = server.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `smtp://${host}:${port}`,
    port,
    received,
    close: () => new Promise<void>((closed) => server.close(() => closed())),
  }
}
