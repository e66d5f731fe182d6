import type { CountEach, CountRows, Erase, KeyGroup, Read } from '@habeas/core'

/* Copies of what a call names: the caller may reuse packed key columns. */

const recordedGroup = ({ uuids: _, ...group }: KeyGroup): KeyGroup => ({
  ...group,
  values: group.values.map((column) => [...column]),
})

export const recordedRead = <Grouped extends Pick<Read, 'anyOf'>>(read: Grouped): Grouped => ({
  ...read,
  anyOf: read.anyOf.map(recordedGroup),
})

export const recordedCount = ({ noneOf, ...counted }: CountRows): CountRows => ({
  ...recordedRead(counted),
  ...(noneOf && { noneOf: noneOf.map(recordedGroup) }),
})

export const recordedEach = ({ group, ...counted }: CountEach): CountEach => ({
  ...counted,
  group: recordedGroup(group),
})

export const recordedErase = ({ pointers, unchanged, ...erase }: Erase): Erase => ({
  ...recordedRead(erase),
  ...(unchanged && { unchanged: unchanged.map(({ group, ...rows }) => ({ ...rows, group: recordedGroup(group) })) }),
  ...(pointers && { pointers: pointers.map(({ count, most }) => ({ count: recordedEach(count), most })) }),
  keys: erase.keys.map((column) => [...column]),
  set:
    erase.set === 'delete'
      ? erase.set
      : erase.set.map((assignment) =>
          'to' in assignment ? assignment : { ...assignment, toEach: [...assignment.toEach] },
        ),
})
