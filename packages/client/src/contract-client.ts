/**
 * A client of the admin API, made from the contract: every operation is called by its id, its input and answer typed.
 *
 * ```ts
 * const client = createClient({ baseUrl: 'https://sallyport.example.com', token: async () => apiKey })
 * const site = await client.call('sitesCreate', { body: { originName: 'shop.example.com' } })
 * ```
 */
import { operations } from '@sallyport/contract'
import { type Client, type ClientOptions, createClientOf } from './client.ts'

/** A client of every operation of the contract. Loads the contract with its schemas. */
export const createClient = (options: ClientOptions): Client => createClientOf(operations, options)
