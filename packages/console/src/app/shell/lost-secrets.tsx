/** Says that secrets were shown once and are not known to be stored: a reload or an Escape came between. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from '../../design/dialog/dialog.tsx'
import { SaysStored, SecretOnce } from '../../design/form/copy.tsx'
import { Buttons, Stack } from '../../design/form/form.tsx'
import { Icon } from '../../design/icon.tsx'
import { forgetSecrets, type KeptSecret } from '../../session/kept-secrets.ts'
import { useLostSecrets } from '../../session/use-kept-secrets.ts'
import classes from './shell.module.css'
import { texts } from './texts.ts'

/** What is opened again is known already. */
const gatherNone = (): void => undefined

export function LostSecretsBanner() {
  const lost = useLostSecrets()
  const [opened, setOpened] = useState<readonly KeptSecret[]>([])
  const store = (secrets: readonly KeptSecret[]) => {
    forgetSecrets(secrets.map(({ value }) => value))
    setOpened([])
  }
  return (
    <>
      {lost.length > 0 && opened.length === 0 ? (
        <div className={classes.away} role="status">
          <Icon name="key" />
          <span>{texts.aSecretThat(lost.length)}</span>
          <Button variant="white" onClick={() => setOpened(lost)}>
            {texts.showAgain}
          </Button>
          <Button variant="white" onClick={() => store(lost)}>
            {texts.stored(lost.length)}
          </Button>
        </div>
      ) : null}
      <Dialog opened={opened.length > 0} onClose={() => setOpened([])} size="lg" title={texts.shownOnceAnd}>
        <Stack>
          <SaysStored value={gatherNone}>
            {opened.map(({ label, value }) => (
              <SecretOnce key={value} label={label} value={value} />
            ))}
          </SaysStored>
          <Buttons>
            <Button onClick={() => store(opened)}>{texts.iHaveStoredAll}</Button>
          </Buttons>
        </Stack>
      </Dialog>
    </>
  )
}
