/** Groups of sites: one application on several hosts, all under one label of the gate domain. */
import { z } from 'zod'
import { filledText, identifier, idParams, pageOf, pageQuery } from '../fields.ts'
import { GROUP_SITES_MAX, HOST_CHARS_MAX } from '../limits.ts'
import { EXAMPLE } from './examples.ts'
import { declareOperations } from './operation.ts'

export const siteGroup = z.object({
  id: z.string(),
  orgId: z.string(),
  /** One label under the gate domain; the gated names of its sites are one label under it. */
  gatedName: z.string(),
  createdBy: z.string(),
  creationDate: z.iso.datetime(),
  /** By gated name. */
  sites: z.array(z.object({ id: z.string(), gatedName: z.string(), originName: z.string() })),
})
export type SiteGroup = z.infer<typeof siteGroup>

const LABEL_CHARS_MAX = 63
const groupInput = z.strictObject({ gatedName: filledText(HOST_CHARS_MAX) })
const groupSites = z.strictObject({
  sites: z.array(z.strictObject({ id: identifier, label: filledText(LABEL_CHARS_MAX) })).max(GROUP_SITES_MAX),
})

const exampleGroup = {
  id: EXAMPLE.groupId,
  orgId: EXAMPLE.orgId,
  gatedName: EXAMPLE.groupName,
  createdBy: EXAMPLE.userId,
  creationDate: EXAMPLE.time,
  sites: [
    {
      id: EXAMPLE.siteId,
      gatedName: `shop.${EXAMPLE.groupName}`,
      originName: 'https://shop.example.com',
    },
  ],
} satisfies SiteGroup

export const siteGroupOperations = declareOperations({
  siteGroupsList: {
    path: '/api/SiteGroups',
    summary: 'List the groups of sites',
    description: 'Newest first, each with its sites.',
    permission: 'sites:read',
    query: z.object(pageQuery),
    response: pageOf(siteGroup),
    examples: { response: { items: [exampleGroup], next: null } },
  },
  siteGroupsCreate: {
    method: 'POST',
    path: '/api/SiteGroups',
    summary: 'Make a group of sites',
    description:
      'For an application on several hosts. `gatedName` is one label under the gate domain that neither a site nor a group has: 409 `gated_name_taken` otherwise. Sites are put in by `PUT /api/SiteGroups/{id}/sites`.',
    permission: 'sites:write',
    body: groupInput,
    response: siteGroup,
    status: 201,
    versioned: true,
    idempotent: true,
    examples: {
      body: { gatedName: exampleGroup.gatedName },
      response: { ...exampleGroup, sites: [] },
    },
  },
  siteGroupsGet: {
    path: '/api/SiteGroups/{id}',
    summary: 'Read a group of sites',
    description: 'The `ETag` of the answer is what `If-Match` of a change takes.',
    permission: 'sites:read',
    params: idParams,
    response: siteGroup,
    versioned: true,
    examples: { response: exampleGroup },
  },
  siteGroupsUpdate: {
    method: 'PATCH',
    path: '/api/SiteGroups/{id}',
    summary: 'Rename a group of sites',
    description: 'The gated names of its sites change with it, and sessions at them end.',
    permission: 'sites:write',
    params: idParams,
    body: groupInput,
    response: siteGroup,
    versioned: true,
    examples: { body: { gatedName: exampleGroup.gatedName }, response: exampleGroup },
  },
  siteGroupsSetSites: {
    method: 'PUT',
    path: '/api/SiteGroups/{id}/sites',
    summary: 'Say which sites are in a group, and under which labels',
    description: `Replaces all of them, at most ${GROUP_SITES_MAX}: each becomes \`<label>.<gated name of the group>\`. A site whose origin is a wildcard has the label \`*\`, and no other has it. What is left out leaves the group, and gets a name under the gate domain that is made of its origin. A site that is in another group is a 400.`,
    permission: 'sites:write',
    params: idParams,
    body: groupSites,
    response: siteGroup,
    versioned: true,
    examples: {
      body: { sites: [{ id: EXAMPLE.siteId, label: 'shop' }] },
      response: exampleGroup,
    },
  },
  siteGroupsDelete: {
    method: 'DELETE',
    path: '/api/SiteGroups/{id}',
    summary: 'Remove a group of sites',
    description: 'One that has sites is a 409: put them out before.',
    permission: 'sites:write',
    params: idParams,
    status: 204,
    versioned: true,
    errors: ['conflict'],
  },
})
