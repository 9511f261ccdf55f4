/** A dialog around a form: what was entered in it is lost by no Escape, no click beside it and no Back, unless somebody says so. */
import { useId, useLayoutEffect, useRef } from 'react'
import { type FormDialogProps, useFormDialogs } from './form-dialogs.tsx'

export function FormDialog(props: FormDialogProps): null {
  const { show, leave } = useFormDialogs()
  const id = useId()
  const isShown = useRef(false)
  useLayoutEffect(() => {
    if (!props.opened && !isShown.current) return
    isShown.current = props.opened
    show(id, props)
  })
  useLayoutEffect(() => () => leave(id), [id, leave])
  return null
}
