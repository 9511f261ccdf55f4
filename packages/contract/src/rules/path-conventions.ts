/**
 * What the origin of a site makes of paths beyond what any origin may make of them. Each is true of some origins and false of
 * most, so a site says which its own has; a request is then judged by those readings of its target, too.
 *
 * - `frontController`: a script takes the rest of the path for its own: `/index.php/admin` is `/admin`;
 * - `formatSuffix`: the last segment may end in a format: `/admin.json` is `/admin`;
 * - `plusAsSpace`: `+` in a path is a space, and spaces at an end do not count: `/admin+` is `/admin`;
 * - `nextJs`: `/_next/data/<build>/admin.json` is the page `/admin`, and `/_next/image?url=/admin/plan.png` fetches that.
 */
export const PATH_CONVENTIONS = ['frontController', 'formatSuffix', 'plusAsSpace', 'nextJs'] as const
export type PathConvention = (typeof PATH_CONVENTIONS)[number]
