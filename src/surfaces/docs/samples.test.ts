import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Nexkit } from '../../../sdk/src/nexkit.ts'
import { type ApiDescription, listCalls } from './description.ts'
import { samplesOf } from './samples.ts'

const api: ApiDescription = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))
const samples = listCalls(api).flatMap((call) =>
  samplesOf(call, 'http://127.0.0.1:3900/api/public/v1').map((sample) => ({ ...sample, operation: call.operationId })),
)
const codesIn = (language: string) => samples.filter((sample) => sample.language === language)

/** Hands all samples of a language to one process, which prints those that it cannot read. */
const unreadable = (program: string, script: string[], language: string) => {
  const result = spawnSync(program, script, { input: JSON.stringify(codesIn(language)), encoding: 'utf8' })
  return result.stderr + result.stdout
}

const COMPILE_PYTHON = `
import json, sys
for sample in json.load(sys.stdin):
    try: compile(sample["code"], sample["operation"], "exec")
    except SyntaxError as error: print(sample["operation"], error)`

const PARSE_PHP = `
foreach (json_decode(file_get_contents('php://stdin')) as $sample) {
    try { token_get_all($sample->code, TOKEN_PARSE); }
    catch (ParseError $error) { echo "$sample->operation $error\\n"; }
}`

const isInstalled = (program: string) => spawnSync(program, ['--version']).status === 0
const isRequired = process.env.NEXKIT_REQUIRE_SAMPLES === '1'

describe('samples of the API reference can be read', () => {
  test('by a shell', () => {
    for (const { operation, code } of codesIn('sh'))
      expect([operation, spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' }).stderr]).toEqual([operation, ''])
  })

  test('by a compiler of TypeScript, and the SDK has the calls they make', () => {
    const transpiler = new Bun.Transpiler({ loader: 'ts' })
    const sdk = new Nexkit({ token: 'nxk_live_x', baseUrl: 'http://127.0.0.1:1' })
    for (const { operation, code } of codesIn('ts')) {
      expect(() => transpiler.transformSync(code)).not.toThrow()
      for (const [, group = '', method = ''] of code.matchAll(/\bnexkit\.(\w+)\.(\w+)\(/g))
        expect([operation, typeof Reflect.get(Object(Reflect.get(sdk, group)), method)]).toEqual([
          operation,
          'function',
        ])
    }
  })

  test.skipIf(!isRequired && !isInstalled('python3'))('by Python', () => {
    expect(unreadable('python3', ['-c', COMPILE_PYTHON], 'py')).toBe('')
  })

  test.skipIf(!isRequired && !isInstalled('php'))('by PHP', () => {
    expect(unreadable('php', ['-r', PARSE_PHP], 'php')).toBe('')
  })
})
