/** Where the focus goes when a dialog opens, or shows something else. */

/**
 * The ref of what somebody came to a dialog for: a form, or what it made. Its first field, else its first button, has the focus, not the
 * button that closes the dialog; another one where that is marked with `data-autofocus`, as Mantine has it. Outside of dialogs it does nothing.
 */
export function focusFirst(part: HTMLElement | null): void {
  const dialog = part?.closest('[aria-modal="true"]')
  if (!part || !dialog) return
  const first =
    dialog.querySelector<HTMLElement>('[data-autofocus]') ??
    part.querySelector<HTMLElement>('input, select, textarea') ??
    part.querySelector<HTMLElement>('button')
  first?.setAttribute('data-autofocus', 'true')
  // Later: a dialog that is just opening remembers first what had the focus before it.
  setTimeout(() => first?.isConnected && first.focus({ preventScroll: true }))
}
