/** The pages of the embedded identity provider, each a function of what it shows. */
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '@sallyport/contract'
import { type Html, type HtmlPage, html } from './page.ts'

const fault = (sentence: string | null): Html | null =>
  sentence === null ? null : html`<p class="fault" id="fault" role="alert">${sentence}</p>`

const invalid = (sentence: string | null): Html | null =>
  sentence === null ? null : html` aria-invalid="true" aria-describedby="fault"`

export const signInPage = (shown: { action: string; email: string; fault: string | null }): HtmlPage => ({
  title: 'Sign in',
  body: html`<h1>Sign in</h1>
${fault(shown.fault)}
<form method="post" action="${shown.action}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254" value="${shown.email}"${shown.email === '' && html` autofocus`}${invalid(shown.fault)}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="${PASSWORD_CHARS_MAX}"${shown.email !== '' && html` autofocus`}${invalid(shown.fault)}>
<button type="submit">Sign in</button>
</form>
<small>Forgot your password? An owner of your organization can give you a new link.</small>`,
})

export interface OrganizationChoice {
  readonly memberId: string
  readonly organizationName: string
}

/** For a person whose address and password fit accounts of several organizations. */
export const organizationPage = (shown: {
  action: string
  proof: string
  choices: readonly OrganizationChoice[]
}): HtmlPage => ({
  title: 'Choose an organization',
  body: html`<h1>Choose an organization</h1>
<form method="post" action="${shown.action}">
<input type="hidden" name="proof" value="${shown.proof}">
<fieldset>
<legend>Sign in to</legend>
${shown.choices.map(
  (choice, index) =>
    html`<label><input type="radio" name="member" value="${choice.memberId}" required${index === 0 && html` checked`}>${choice.organizationName}</label>`,
)}
</fieldset>
<button type="submit">Go on</button>
</form>`,
})

export const setPasswordPage = (shown: {
  action: string
  token: string
  email: string
  organizationName: string
  fault: string | null
}): HtmlPage => ({
  title: 'Set your password',
  body: html`<h1>Set your password</h1>
<p class="soft">For your account at ${shown.organizationName}.</p>
${fault(shown.fault)}
<form method="post" action="${shown.action}">
<input type="hidden" name="token" value="${shown.token}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" readonly value="${shown.email}">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required autofocus minlength="${PASSWORD_CHARS_MIN}" maxlength="${PASSWORD_CHARS_MAX}" aria-describedby="rule"${shown.fault !== null && html` aria-invalid="true"`}>
<small id="rule">At least ${PASSWORD_CHARS_MIN} characters.</small>
<label for="again">New password again</label>
<input id="again" name="again" type="password" autocomplete="new-password" required maxlength="${PASSWORD_CHARS_MAX}">
<button type="submit">Set password</button>
</form>`,
})

export const passwordSetPage = (shown: { consoleUrl: string }): HtmlPage => ({
  title: 'Password set',
  body: html`<h1>Your password is set</h1>
<p>Sign in with it to open the console. The link that brought you here is used up.</p>
<a class="button" href="${shown.consoleUrl}">Sign in</a>`,
})

/** `form` is the form that the library made: it carries the token against cross-site requests. */
export const signOutPage = (shown: { form: Html }): HtmlPage => ({
  title: 'Sign out',
  body: html`<h1>Sign out?</h1>
<p class="soft">You will be signed out of Sallyport in this browser.</p>
${shown.form}
<button type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>
<button type="submit" form="op.logoutForm" class="quiet">Stay signed in</button>`,
})

export const signedOutPage = (shown: { consoleUrl: string }): HtmlPage => ({
  title: 'Signed out',
  body: html`<h1>You are signed out</h1>
<a class="button" href="${shown.consoleUrl}">Sign in again</a>`,
})

export const messagePage = (shown: { title: string; sentence: string; consoleUrl: string }): HtmlPage => ({
  title: shown.title,
  body: html`<h1>${shown.title}</h1>
<p>${shown.sentence}</p>
<a class="button" href="${shown.consoleUrl}">Open the console</a>`,
})
