/** Values to copy: a copy button, and secrets that are shown once. */
import { Alert, Button } from '@mantine/core'
import { createContext, use, useEffect, useState } from 'react'
import { forgetSecrets, keepSecret } from '../../session/kept-secrets.ts'
import { useIsKept } from '../../session/use-kept-secrets.ts'
import { focusFirst } from '../dialog/focus-first.ts'
import { Icon } from '../icon.tsx'
import classes from './copy.module.css'
import { texts } from './texts.ts'

const SAID_MS = 1_800

export function CopyButton({
  value,
  label = texts.copy,
}: {
  readonly value: string
  readonly label?: string
}) {
  const [said, setSaid] = useState<'idle' | 'done' | 'failed'>('idle')
  const copy = async () => {
    const outcome = await navigator.clipboard.writeText(value).then(
      () => 'done' as const,
      () => 'failed' as const,
    )
    setSaid(outcome)
    setTimeout(() => setSaid('idle'), SAID_MS)
  }
  const words = { idle: label, done: 'Copied', failed: 'Select and copy it by hand' }[said]
  return (
    <Button
      variant="default"
      leftSection={<Icon name={said === 'done' ? 'check' : 'copy'} size={14} />}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{words}</span>
    </Button>
  )
}

/** A value in a frame, selected whole on click, with a button that copies it. */
export function CopyField(props: {
  readonly label: string
  readonly value: string
  readonly lines?: boolean
}) {
  return (
    <div className={classes.field}>
      <div className={classes.label}>{props.label}</div>
      <div className={classes.row}>
        <code className={props.lines ? classes.lines : classes.value}>{props.value}</code>
        <CopyButton value={props.value} />
      </div>
    </div>
  )
}

/** Of what has one button that says of all secrets within that they are stored: gathers them. */
export const SaysStored = createContext<((value: string) => void) | null>(null)

/** A secret that the server will not show again. Until somebody says that it is stored, this tab keeps it (`kept-secrets.ts`). */
export function SecretOnce(props: {
  readonly label: string
  readonly value: string
  /** Why now, where the server keeps more than a fingerprint. */
  readonly words?: string
}) {
  const { label, value } = props
  const isKept = useIsKept(value)
  const gather = use(SaysStored)
  useEffect(() => {
    gather?.(value)
    return keepSecret(label, value)
  }, [gather, label, value])
  const { words = texts.copyItNowOnly } = props
  return (
    <Alert
      ref={focusFirst}
      color="yellow"
      variant="light"
      className={classes.once ?? ''}
      title={texts.shownOnce}
    >
      <p className={classes.onceWords}>{words}</p>
      <CopyField label={label} value={value} />
      {isKept && !gather ? (
        <Button variant="default" mt="xs" onClick={() => forgetSecrets([value])}>
          {texts.iHaveStored}
        </Button>
      ) : null}
    </Alert>
  )
}
