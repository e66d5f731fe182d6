import { memoryQueue } from '@habeas/core'
import { queueContract } from '@habeas/testkit'
import { describe, it } from 'vitest'

describe('memoryQueue', () => queueContract(it, memoryQueue))
