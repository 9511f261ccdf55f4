/**
 * The log lines of refused sign-ins, by which guessing is noticed.
 *
 * They name no address of an e-mail that was typed: it may be a password in the wrong field. What is named is the member
 * that it stands for, where there is one, and where the attempt came from. A flood of guesses writes a bounded number of
 * lines; the next line says how many were left out.
 */

export type SignInRefusal =
  /** No account of that address has this password. */
  | 'wrong_password'
  | 'unknown_account'
  /** The allowance of the account or of the client's address is used up; the password was not looked at. */
  | 'too_many_attempts'
  /** The present password, asked for to set another, was not right. */
  | 'wrong_present_password'

export interface RefusedSignIn {
  readonly reason: SignInRefusal
  /** Address of the client; empty where it is not known. */
  readonly address: string
  readonly requestId: string
  readonly members: readonly { readonly orgId: string; readonly memberId: string }[]
}

export interface RefusedSignInsOptions {
  readonly log: (fields: object, line: string) => void
  readonly now?: () => number
  readonly linesMax?: number
  readonly windowMs?: number
}

export type NoteRefusedSignIn = (refused: RefusedSignIn) => void

export function createRefusedSignIns(options: RefusedSignInsOptions): NoteRefusedSignIn {
  const { log, now = Date.now, linesMax = 60, windowMs = 60_000 } = options
  let began = Number.NEGATIVE_INFINITY
  let lines = 0
  let leftOut = 0
  return ({ reason, address, requestId, members }) => {
    if (now() - began >= windowMs) {
      began = now()
      lines = 0
    }
    if (lines >= linesMax) {
      leftOut += 1
      return
    }
    lines += 1
    const named = members.map(({ orgId, memberId }) => ({ orgId, memberId }))
    log(
      {
        event: 'sign_in_refused',
        reason,
        address,
        requestId,
        members: named,
        ...(leftOut > 0 && { leftOut }),
      },
      'a sign-in was refused',
    )
    leftOut = 0
  }
}
