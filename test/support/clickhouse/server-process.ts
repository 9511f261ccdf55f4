/** A process that serves ClickHouse's HTTP interface on a folder and a port, until it is ended. */
import { createHttpInterface } from './http-interface.ts'

const [dataDir = '', port = '0', cluster] = process.argv.slice(2)
const { server } = createHttpInterface(dataDir, cluster)
server.listen(Number(port), '127.0.0.1', () => process.send?.('listening'))
process.once('disconnect', () => process.exit(0))
