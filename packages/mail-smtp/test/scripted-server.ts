import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** The server's reaction to a command (or to a mail, as `.`): an answer, silence, or it hangs up. */
export type Answer = string | 'silence' | 'hang up' | 'dribble'

export interface ScriptedServer {
  readonly port: number
  /** Every line the client sent, without the mails. */
  readonly commands: readonly string[]
  stop(): void
}

const usual: Readonly<Record<string, Answer>> = {
  greeting: '220 scripted',
  EHLO: '250-scripted\r\n250 8BITMIME',
  MAIL: '250 2.1.0 fine',
  RCPT: '250 2.1.5 fine',
  DATA: '354 go on',
  '.': '250 2.0.0 taken',
  QUIT: '221 bye',
}

/** An SMTP server that answers as the script says. */
export async function scriptedServer(script: Readonly<Record<string, Answer>>): Promise<ScriptedServer> {
  const answers = { ...usual, ...script }
  const commands: string[] = []
  const sockets = new Set<Socket>()

  const say = (socket: Socket, answer: Answer | undefined) => {
    if (answer === 'hang up') socket.destroy()
    else if (answer === 'dribble') {
      const timer = setInterval(() => socket.write('250-a little more\r\n'), 50)
      socket.on('close', () => clearInterval(timer))
    } else if (answer !== 'silence') socket.write(`${answer ?? '502 not here'}\r\n`)
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    say(socket, answers.greeting)
    let inMail = false
    createInterface({ input: socket }).on('line', (line) => {
      if (inMail) {
        if (line !== '.') return
        inMail = false
        say(socket, answers['.'])
        return
      }
      commands.push(line)
      const verb = line.split(' ')[0]?.toUpperCase() ?? ''
      const answer = answers[verb]
      inMail = verb === 'DATA' && answer?.startsWith('354') === true
      say(socket, answer)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    commands,
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
