/** What a reader of the OpenAPI document should know before the operations. Markdown. */
export const API_DESCRIPTION = `
The administrative interface of an organization that exposes web sites to external security researchers. Every call is
scoped to one organization: the one that its token names.

**Tokens.** \`Authorization: Bearer <token>\` with a JWT of the identity provider (\`eyJ…\`) or an API key
(\`ak_live_…\`). A token that is absent, expired, revoked or not valid is a 401 with one sentence for all of these; a
valid one that names no organization is a 401 with \`Missing organization context.\` A role that is too weak is a 403.

**Requests.** Paths match in any letter case. Bodies are \`application/json\`, \`text/json\` or \`application/*+json\`
in UTF-8 (415 otherwise), of at most 1 MiB (413). A body that is not valid is a 400 that lists every bad field. Unknown
properties are refused for projects and their items, at any depth, and ignored elsewhere. Date-times are ISO 8601 with
\`Z\` or an offset and are answered in UTC with milliseconds.

**Answers.** \`Accept\` chooses \`application/json\` (the default), \`text/json\` or \`text/plain\`. Operations that
answer "a JSON string" answer a JSON-encoded string that holds a JSON document; with \`Accept: text/plain\`, the document
itself. Nothing under \`/api\` may be cached.

**Errors** are RFC 9457 problem documents. What belongs to another organization answers exactly what an unknown
identifier does: 404.

**Lists** are \`{items, next}\`, newest first: send \`next\` as \`cursor\` to read on; it is null on the last page. The
list of sites is an array, as the interface has always had it, and is paged only where \`limit\` or \`cursor\` is given;
\`Link: rel="next"\` then leads on.

**Versions.** What is updated answers an \`ETag\`; sent back as \`If-Match\`, it makes a change fail with 412 where
somebody else changed the thing in between.

**Creations** honour \`Idempotency-Key\`: within 24 hours, the same request under the same key happens once, and each
repetition gets the first answer; another request under it is a 409.

**Sites.** \`isActive\` means enabled, and now within [\`startDate\`, \`stopDate\`). A \`stopDate\` of
9999-12-31T23:59:59.999Z means no end. \`isDeploymentProgress\` is true while a gateway that may still serve runs an older
configuration than the last change of the site or its organization: one that is heard of, or whose lease has not run out. \`blockList\` is a JSON array in a string. \`credentials\` are encrypted at rest and
answered only to those who may change the site.

**Projects.** Strings that are not set are null; dates that are not set are absent, because dates are not nullable.

Operations marked with \`x-sallyport-extension\` are additions to the original interface.
`.trim()
