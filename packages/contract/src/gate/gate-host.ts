/**
 * The gate's own host, where a researcher is at home: their sites, what is left of their limits, their recent requests. It
 * stands apart from every gated host, because a gated host runs the scripts of an application that is under attack. Served by
 * the gateways under the `gateUrl` of the snapshot; all answers of the API are JSON, errors problem documents with `reason`
 * and `requestId`, times milliseconds since the Unix epoch. Whatever came from a request is text to be shown as text.
 *
 * | call | body | answer |
 * |---|---|---|
 * | `GET /api/me` | | `GateMe` |
 * | `GET /api/sites` | | `GateSites` |
 * | `GET /api/sites/{id}/scope` | | `ResearcherPageScope` |
 * | `GET /api/sites/{id}/budget` | | `ResearcherPageBudget` |
 * | `GET /api/sites/{id}/requests` | | `ResearcherPageRequests` |
 * | `POST /api/sites/{id}/credentials` | `{}` | `ResearcherPageCredentials` |
 * | `POST /api/session` | `GateSignIn` | `GateMe`, and the session's cookie; 409 `GateOtherSession` |
 * | `DELETE /api/session` | | 204, and the cookie is gone |
 * | `POST /api/invitations` | `GateInvitation` | `GateMe`, and the session's cookie; 409 `GateOtherSession` |
 * | `POST /api/codes` | `GateCodeRequest` | `GateCode`; 404 where the host is no site of this researcher's organization |
 *
 * 400 names the field that is wrong; 401 says that nobody is signed in; 404 is an invitation that is unknown, lapsed or used,
 * or a thing that this researcher may not know of; 429 and 503 may be repeated after `Retry-After`, 503 with the same attempt.
 *
 * With a session's cookie, and for everything but GET, a call must come from the gate's own pages (`Origin`, or
 * `Sec-Fetch-Site: same-origin`): gated hosts are same-site with this one, so `SameSite` separates nothing. A tool may
 * send its key in `Sallyport-Key` instead.
 *
 * A browser gets into a gated host by a one-time code: the gated host sets a nonce and leads to `/sign-in` here, the page
 * reads the hash of the browser's nonce from the gated host itself, and only where it is the one that it was told does it ask
 * for a code, which leads back to `/.sallyport/enter`.
 */

/** Everything under this path of a gated host is the gate's, and goes to no origin. */
export const GATED_OWN_PATH = '/.sallyport/'
/** Paths of a gated host that take a browser to the gate's own host and back. Nothing else is served there. */
export const GATED_SIGN_IN_PATH = '/.sallyport/sign-in'
export const GATED_NONCE_PATH = '/.sallyport/nonce'
export const GATED_ENTER_PATH = '/.sallyport/enter'

/** Pages of the gate's own host: `/sign-in?host=…&nonce=…&to=…`, `/invitation#token=…`, `/sites/{id}`. */
export const GATE_SIGN_IN_PATH = '/sign-in'
export const GATE_INVITATION_PATH = '/invitation'
export const GATE_SITES_PATH = '/sites/'
export const GATE_API_PATH = '/api/'

/** A POST to the API says this in `Content-Type`, and is no larger. */
export const GATE_BODY_TYPE = 'application/json'
export const GATE_BODY_BYTES_MAX = 4_096

/** Codes live this long, milliseconds. */
export const SIGN_IN_CODE_LIFETIME_MS = 30_000

export interface GateMe {
  readonly researcher: { readonly id: string; readonly name: string; readonly email: string }
  readonly organization: string
  /** Whom to ask: an e-mail address or an `https://` address; empty for nobody, and absent from a gateway that does not say it. */
  readonly contact?: string
  /** When the researcher's access ends by itself; null where it does not. */
  readonly expiresAt: number | null
  readonly credential: 'key' | 'session'
}

/** A site as its researcher sees it. */
export interface GateSite {
  readonly id: string
  readonly gatedName: string
  /** Name of the group of sites that it is in; empty where it is in none, absent from a gateway that does not say it. */
  readonly group?: string
  /** Where it is reached, without a slash at the end: `https://shop.gate.example.com`. Of many hosts a `*` stands for the first label. */
  readonly url: string
  /** Why it may not be entered now; empty where it may. */
  readonly reason: '' | 'site_closed' | 'researcher_paused' | 'researcher_expired'
  readonly startsAt: number | null
  readonly stopsAt: number | null
}

export interface GateSites {
  /** By gated name. Sites whose list does not name the researcher are left out. */
  readonly items: readonly GateSite[]
}

export interface GateSignIn {
  readonly key: string
  /** Take the place of another researcher's session in this browser. */
  readonly replace?: boolean
}

export interface GateInvitation {
  readonly token: string
  /** 22 base64url characters that the page draws at random: the same attempt may be repeated for a minute. */
  readonly attempt: string
  readonly replace?: boolean
}

/** 409: another researcher's session is in this browser. Nothing was taken. */
export interface GateOtherSession {
  readonly signedInAs: { readonly name: string; readonly email: string }
}

export interface GateCodeRequest {
  /** Gated host with its port, as the gated host said it. */
  readonly host: string
  /** SHA-256 of the browser's nonce at that host, base64url. */
  readonly nonce: string
  /** Path and query to come back to; begins with one slash. */
  readonly to: string
  /** Take the place of another researcher's session at that host. */
  readonly replace?: boolean
}

export interface GateCode {
  /** Where the browser goes: `https://<gated host>/.sallyport/enter?code=…`. */
  readonly location: string
}

/** `GET /.sallyport/nonce`, to the gate's own page alone (CORS with credentials). */
export interface GatedNonce {
  /** SHA-256 of this browser's nonce, base64url; empty where it has none. */
  readonly nonce: string
  /** Id of the researcher whose valid session this browser has there; empty where there is none. */
  readonly researcherId: string
  /**
   * The browser says that the two hosts are different sites, so it may have kept its cookies to itself: that there is no
   * nonce is not known then. Nothing else than this word makes the page take a question for the check: a script of the gated
   * host can make the call fail, as by cookies that are too long for it.
   */
  readonly isThirdParty: boolean
}

/**
 * What a gateway asks the control plane for when an invitation is accepted: `POST /gateway/invitations` with the
 * gateway's token and an `InvitationAcceptance`; 200 with `AcceptedInvitation`, 404 where the invitation is unknown, lapsed or
 * used. The control plane uses it up in one transaction; the same `attempt` gets the same answer for a minute.
 */
export const INVITATION_ACCEPTANCE_PATH = '/gateway/invitations'
export interface InvitationAcceptance {
  readonly gatewayId: string
  /** SHA-256 of the token, lower-case hex. */
  readonly tokenHash: string
  readonly attempt: string
  readonly requestId: string
  /** The researcher whose session would be kept: where the invitation is another's, nothing is used up and 409 is answered. */
  readonly keepResearcherId: string
}
export interface AcceptedInvitation {
  readonly researcherId: string
  readonly orgId: string
  readonly sessionGeneration: number
}
