/**
 * The least that could serve: Fastify and pg, one prepared statement a request, no authentication, no organization, no
 * validation, no audit. Connects as the owner, whom row-level security does not bind. Prints its URL when it listens.
 */
import Fastify from 'fastify'
import { Pool } from 'pg'

const [databaseUrl = '', orgId = ''] = process.argv.slice(2)
const pool = new Pool({ connectionString: databaseUrl, max: 16 })

const SITES = `SELECT id, origin_name AS "originName", gated_name AS "gatedName",
    is_enabled AND starts_at <= now() AND now() < stops_at AS "isActive", org_id AS "orgId",
    created_by AS "cretedByUserId", created_at AS "creationdDate", has_custom_list AS "hasCustomList",
    false AS "isDeploymentProgress", starts_at AS "startDate", stops_at AS "stopDate", credentials, instructions,
    rate_limit AS "rateLimit", block_list AS "blockList"
  FROM sites`

const app = Fastify()
app.get('/api/sites', async () => {
  const { rows } = await pool.query({
    name: 'list',
    text: `${SITES} WHERE org_id = $1 ORDER BY id DESC`,
    values: [orgId],
  })
  return rows
})
app.post<{ Body: { id: string; rateLimit: string } }>('/api/sites/setRateLimiting', async ({ body }) => {
  const { rows } = await pool.query({
    name: 'limit',
    text: `UPDATE sites SET rate_limit = $2 WHERE id = $1 RETURNING id, origin_name AS "originName", rate_limit AS "rateLimit"`,
    values: [body.id, body.rateLimit],
  })
  return rows[0]
})
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
