/**
 * Node's own HTTP, for whoever would import `node:http`. A builtin module that is imported reads each of its exports once, and one of
 * these, `WebSocket`, loads all of undici: 13 MiB and as much time as Node itself takes to start (decision 0380).
 */
export const { Agent, STATUS_CODES, createServer, get, request } = process.getBuiltinModule('node:http')
