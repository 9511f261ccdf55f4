/** The form of one record of the organization: its fields as they are edited, and their saving. */
import { useState } from 'react'
import { previousValues, unsavedEdits } from '../../api/concurrent-edits.ts'
import { useNotices } from '../../design/feedback/notices.tsx'

/** `save` writes changes and answers the record as it was `before`; the notice that says `saved` offers to undo them. */
export function useRecordForm<Fields extends object>(
  stored: Fields,
  save: (changes: Partial<Fields>) => Promise<{ readonly before: Fields }>,
  saved: string,
) {
  const notices = useNotices()
  const [edits, setEdits] = useState<Partial<Fields>>({})
  const shown = { ...stored, ...edits }
  const saveEdits = async () => {
    const { before } = await save(edits)
    setEdits((now) => unsavedEdits(now, edits))
    return previousValues(before, edits)
  }
  return {
    /** The fields as they stand in the form. */
    shown,
    isUnsaved: (Object.keys(edits) as (keyof Fields)[]).some((name) => shown[name] !== stored[name]),
    edit: (part: Partial<Fields>) => setEdits({ ...edits, ...part }),
    submit: () => notices.whenDone(saveEdits(), saved, save),
  }
}
