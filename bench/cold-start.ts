import { join } from 'node:path'
import { startNexkit } from './nexkit-server.ts'
import { median, type Question, round } from './question.ts'

const RESTARTS = 3

export const coldStart: Question = {
  name: 'cold-start',
  asks: 'How long from the command to the first answer?',
  secondsMax: 40,
  async run(bench) {
    const options = {
      dataDir: join(bench.folder, 'data'),
      logFile: join(bench.folder, 'server.log'),
      throughNode: true,
    }
    const measureStart = async () => {
      const server = await startNexkit(options)
      await server.stop()
      return round(server.startSeconds)
    }
    bench.say('an empty folder first, then the same folder again')
    const emptySeconds = await measureStart()
    const existingSeconds: number[] = []
    for (let restart = 0; restart < RESTARTS; restart++) existingSeconds.push(await measureStart())
    return [
      {
        measure: 'cold start, empty folder',
        value: emptySeconds,
        unit: 's',
        bar: { atMost: 3 },
        figures: {},
      },
      {
        measure: 'cold start, existing data',
        value: median(existingSeconds),
        unit: 's',
        bar: { atMost: 1 },
        figures: { starts_seconds: existingSeconds },
      },
    ]
  },
}
