/** The actions of resources without the steps of a write, which only manifests take one by one. */
export function withoutSteps<All extends object>(all: All) {
  const shown = Object.entries(all).map(([name, { store: _, answers: __, ...actions }]) => [name, actions])
  return Object.fromEntries(shown) as { [Name in keyof All]: Omit<All[Name], 'store' | 'answers'> }
}
