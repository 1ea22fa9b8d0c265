/**
 * The module an operator's class is taken from: the operator's own instance where the runtime imported one
 * (`importModuleInstance`), else the shared module.
 *
 * @param own - The namespace of the same file, imported under a key of its own; or undefined.
 */
export function ownModule<M>(own: unknown, shared: M): M {
  return own === undefined ? shared : (own as M);
}
