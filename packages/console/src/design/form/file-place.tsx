/** A place for a file: dropped there, or chosen. */
import { Button, FileButton } from '@mantine/core'
import { type DragEvent, useState } from 'react'
import { bytesWords } from '../../language/number.ts'
import { isolated } from '../isolated.ts'
import classes from './form.module.css'
import { texts } from './texts.ts'

export function FilePlace(props: {
  readonly file: File | null
  readonly onFile: (file: File | null) => void
  /** Ends of names that the browser offers first. */
  readonly accept: string
}) {
  const { file, onFile } = props
  const [isOver, setIsOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    onFile(event.dataTransfer.files[0] ?? null)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is for the mouse alone; the button does the same
    <div
      className={classes.drop}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      {file ? (
        <>
          <span className={classes.file}>
            <strong>{isolated(file.name)}</strong> {bytesWords(file.size)}
          </span>
          <Button variant="default" onClick={() => onFile(null)}>
            {texts.removeFile}
          </Button>
        </>
      ) : (
        <>
          <span className="soft">{texts.dropAFileHere}</span>
          <FileButton accept={props.accept} onChange={onFile}>
            {(button) => (
              <Button variant="default" {...button}>
                {texts.chooseAFile}
              </Button>
            )}
          </FileButton>
        </>
      )}
    </div>
  )
}
