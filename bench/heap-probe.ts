import { heapStats } from 'bun:jsc'
import { writeFileSync } from 'node:fs'

/** Loaded into the measured server before its own code: on SIGUSR2 it writes the size of the JavaScript heap to a file. */
const file = process.env.BENCH_HEAP_FILE
if (file !== undefined)
  process.on('SIGUSR2', () => {
    const { heapSize, heapCapacity, objectCount } = heapStats()
    writeFileSync(file, JSON.stringify({ heapSize, heapCapacity, objectCount }))
  })
