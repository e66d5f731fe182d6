import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { say, styled, type Terminal } from './terminal.js'

it('what it says keeps its styles, and no name steers the terminal', async () => {
  const talk = new PassThrough()
  const terminal: Terminal = {
    ...{ folder: '', env: {}, input: new PassThrough(), data: new PassThrough(), talk },
    ...{ asks: false, colours: true },
  }
  say(terminal, `${styled(terminal, 'red', 'error')} 't\u001b[2J\u001b]0;title\u0007'\nnext`)
  talk.end()
  expect(await text(talk)).toBe("\u001b[31merror\u001b[39m 't [2J ]0;title '\nnext\n")
})
