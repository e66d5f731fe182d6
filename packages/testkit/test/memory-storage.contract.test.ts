import { memoryStorage } from '@habeas/core'
import { storageContract } from '@habeas/testkit'
import { describe, it } from 'vitest'
import { findAll } from '../../core/src/actions/find-all.js'
import { writeAll } from '../../core/src/actions/write-all.js'

describe('memoryStorage', () => storageContract(it, memoryStorage))

describe('memoryStorage, with what core does where a storage cannot write or ask several things at once', () =>
  storageContract(it, () => {
    const storage = memoryStorage()
    return {
      ...storage,
      writeAll: (writes) => writeAll(storage, writes),
      findAll: (queries) => findAll(storage, queries),
    }
  }))
