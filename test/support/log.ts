import type { Log } from '../../src/platform/telemetry/log.ts'

export const quietLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
