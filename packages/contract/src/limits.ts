/** Bounds that both sides of the wire share, so that no string, list or number is unbounded. */
export const BODY_BYTES_MAX = 1024 * 1024
/** An API definition that is uploaded. */
export const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024
export const DOCUMENT_NAME_CHARS_MAX = 64
/** API definitions of one site, and what those in force may have altogether. */
export const SITE_DOCUMENTS_MAX = 20
export const SITE_DOCUMENTS_BYTES_MAX = 64 * 1024 * 1024
/** Versions of one API definition before the one in force. */
export const DOCUMENT_VERSIONS_MAX = 20
export const ID_CHARS_MAX = 64
export const NAME_CHARS_MAX = 200
export const EMAIL_CHARS_MAX = 254
/** Of whom researchers ask: an e-mail address, or the address of a page. */
export const CONTACT_CHARS_MAX = 320
export const TEXT_CHARS_MAX = 16_384
export const HOST_CHARS_MAX = 253
export const PAGE_ITEMS_DEFAULT = 50
export const PAGE_ITEMS_MAX = 500
export const CURSOR_CHARS_MAX = 1024
/** Researchers that one bulk change may name. */
export const BULK_HACKERS_MAX = 1_000
/** Researchers whose visits and profiles are asked for together. */
export const COMPARED_HACKERS_MAX = 4
/** A pause longer than this ends a visit. */
export const VISIT_PAUSE_MINUTES = 30

/** `stopDate` of a site that has no end, since the field is never null. */
export const OPEN_END = '9999-12-31T23:59:59.999Z'
/** Sites of one group: each gateway is told all of them with each. */
export const GROUP_SITES_MAX = 32
/** Saved views that an organization shares, and private ones of a subject; and characters of the query of one. */
export const SAVED_VIEWS_MAX = 200
export const SAVED_VIEW_QUERY_CHARS_MAX = 8_192
/** Keys, and invitation links, of one researcher that are valid at the same time. */
export const RESEARCHER_KEYS_MAX = 10
export const RESEARCHER_INVITATIONS_MAX = 10
/** Operations and sites that one check of a project is tied to, and checks of one page: a map is read of each site. */
export const CHECK_TIES_MAX = 100
export const CHECK_SITES_MAX = 20
export const CHECK_ITEMS_MAX = 200
/** Characters of all operations that one check is tied to: a page reads those of hundreds of checks. */
export const CHECK_TIES_CHARS_MAX = 65_536
/** Exports and evidence packs that a control process writes at the same time: of one organization, and of all. */
export const ORGANIZATION_EXPORTS_MAX = 4
export const EXPORTS_MAX = 32
/** Followers of the live tail that a control process has: of one organization, and of all. */
export const ORGANIZATION_FOLLOWERS_MAX = 100
export const FOLLOWERS_MAX = 500
export const NOTE_CHARS_MAX = 2_000
