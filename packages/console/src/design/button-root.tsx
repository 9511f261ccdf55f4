/** The element that a button of Mantine's is. */
import type { ComponentProps, MouseEvent } from 'react'

const pressNothing = (event: MouseEvent) => event.preventDefault()

/**
 * A button that is busy, or has nothing to do yet, does nothing when it is pressed, and is reached by Tab all the same: the attribute
 * `disabled` would take the focus from who has just pressed it, and hide its title, which says why.
 */
export const buttonRoot = ({ disabled, onClick, ...props }: ComponentProps<'button'>) => (
  <button
    type="button"
    {...props}
    aria-disabled={disabled || undefined}
    onClick={disabled ? pressNothing : onClick}
  />
)
