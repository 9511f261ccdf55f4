/** What an answer of the analytics has beyond its counts where it is asked for, so that a page asks once. */
import { z } from 'zod'
import { repeated } from '../../fields.ts'
import { changeMark } from '../access.ts'
import { EXAMPLE } from '../examples.ts'

/** Query parameter of an answer that may name the researchers in it. */
export const includeNames = repeated(z.enum(['names'])).optional()
/** Query parameter of counts by value: whose hosts those are that answers led to, too. */
export const includeNamesOrSites = repeated(z.enum(['names', 'sites'])).optional()
/** Query parameter of an answer over time that may have the changes that people made meanwhile. */
export const includeChanges = repeated(z.enum(['changes'])).optional()

export const named = z.object({ id: z.string(), name: z.string() })

/** What a researcher is called; null where the organization does not have them any more. */
const researcherName = z.object({ id: z.string(), name: z.string().nullable() })
export type ResearcherName = z.infer<typeof researcherName>

/** Of every researcher in an answer. Absent where it was not asked for, or the role may not read it. */
export const researcherNames = z.array(researcherName).optional()
/** Of the hosts in `leadsTo`, those that are the origin of a site. Absent where it was not asked for, or the role may not read it. */
export const hostSites = z.array(named.extend({ host: z.string() })).optional()
/** Newest first. Absent where it was not asked for, or the role may not read it. */
export const changeMarks = z.array(changeMark).optional()

export const exampleNames = [{ id: EXAMPLE.hackerId, name: 'Mira' }]
export const exampleChanges = [
  {
    sequence: 42,
    time: EXAMPLE.time,
    actor: { kind: 'user' as const, id: EXAMPLE.userId, email: EXAMPLE.ownerEmail },
    action: 'site.update',
    target: { kind: 'site', id: EXAMPLE.siteId },
  },
]

export const NAMES_WORDS =
  'With `include=names`, `researcherNames` has what the researchers in the answer are called, null for who is not there any more, for a role that may read researchers.'
