import { useState } from 'react'
import { type GateRefusal, OtherSession, refusalOf } from '../../api/gate-api.ts'

/** A call that begins a session: whether it runs, what refused it, and whose session it would take the place of. */
export function useSessionCall(call: (replace: boolean) => Promise<void>) {
  const [isBusy, setIsBusy] = useState(false)
  const [refusal, setRefusal] = useState<GateRefusal>()
  const [other, setOther] = useState<OtherSession>()
  const begin = async (replace: boolean) => {
    setIsBusy(true)
    setRefusal(undefined)
    setOther(undefined)
    try {
      await call(replace)
    } catch (error) {
      if (error instanceof OtherSession) setOther(error)
      else setRefusal(refusalOf(error))
    } finally {
      setIsBusy(false)
    }
  }
  return { begin, isBusy, refusal, other }
}
