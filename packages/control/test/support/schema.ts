/** What a database is made of, as sorted lines of text that can be compared. */
import type { Client } from 'pg'

const IN_PUBLIC = `n.nspname = 'public' AND c.relname NOT LIKE 'kysely%'`
const RELATIONS = `pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace`

/** Each selects one text column, `line`. Access lists are compared entry by entry: their order is that of the grants. */
const PARTS: Readonly<Record<string, string>> = {
  relations: `SELECT format('%s %s row security %s forced %s comment %s', c.relkind, c.relname, c.relrowsecurity,
      c.relforcerowsecurity, obj_description(c.oid)) AS line FROM ${RELATIONS} WHERE ${IN_PUBLIC}`,
  columns: `SELECT format('%s.%s %s %s not null %s default %s collation %s', c.relname, a.attnum, a.attname,
      format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attcollation) AS line
    FROM ${RELATIONS} JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE ${IN_PUBLIC} AND c.relkind IN ('r', 'p', 'v', 'm')`,
  constraints: `SELECT format('%s %s %s', c.relname, k.conname, pg_get_constraintdef(k.oid)) AS line
    FROM ${RELATIONS} JOIN pg_constraint k ON k.conrelid = c.oid WHERE ${IN_PUBLIC}`,
  indexes: `SELECT pg_get_indexdef(i.indexrelid) || ' valid ' || i.indisvalid AS line
    FROM ${RELATIONS} JOIN pg_index i ON i.indrelid = c.oid WHERE ${IN_PUBLIC}`,
  policies: `SELECT format('%s %s for %s permissive %s to %s using %s check %s', c.relname, p.polname, p.polcmd,
      p.polpermissive, ARRAY(SELECT CASE role WHEN 0 THEN 'public' ELSE pg_get_userbyid(role) END FROM unnest(p.polroles) role ORDER BY 1),
      pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) AS line
    FROM ${RELATIONS} JOIN pg_policy p ON p.polrelid = c.oid WHERE ${IN_PUBLIC}`,
  triggers: `SELECT pg_get_triggerdef(t.oid) AS line
    FROM ${RELATIONS} JOIN pg_trigger t ON t.tgrelid = c.oid WHERE ${IN_PUBLIC} AND NOT t.tgisinternal`,
  functions: `SELECT pg_get_functiondef(f.oid) || coalesce(f.proacl::text, '') AS line
    FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace WHERE n.nspname = 'public'`,
  grants: `SELECT format('%s %s to %s by %s', c.relname, g.privilege_type, pg_get_userbyid(g.grantee),
      pg_get_userbyid(g.grantor)) AS line
    FROM ${RELATIONS}, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) g
    WHERE ${IN_PUBLIC} AND c.relkind <> 'i'`,
  schemas: `SELECT format('%s %s to %s', n.nspname, g.privilege_type, CASE g.grantee WHEN 0 THEN 'public' ELSE pg_get_userbyid(g.grantee) END) AS line
    FROM pg_namespace n, aclexplode(n.nspacl) g WHERE n.nspname = 'public'`,
  policiesAndPlans: `SELECT to_jsonb(p)::text AS line FROM plans p
    UNION ALL SELECT to_jsonb(r)::text FROM rate_limit_policies r`,
}

export async function describeSchema(client: Client): Promise<Record<string, string[]>> {
  const described: Record<string, string[]> = {}
  for (const [part, statement] of Object.entries(PARTS)) {
    const { rows } = await client.query<{ line: string }>(statement)
    described[part] = rows.map(({ line }) => line).toSorted()
  }
  return described
}
