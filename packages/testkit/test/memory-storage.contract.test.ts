import { memoryStorage } from '@habeas/core'
import { storageContract } from '@habeas/testkit'
import { describe, it } from 'vitest'

describe('memoryStorage', () => storageContract(it, memoryStorage))
