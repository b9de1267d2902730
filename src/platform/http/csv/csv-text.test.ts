import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { decodeCsv, readCsv, writeCell, writeLine } from './csv-text.ts'

const cellsOf = (text: string) => {
  const read = readCsv(text)
  return read.ok ? read.lines.map(({ cells }) => cells) : read
}

describe('a cell', () => {
  test.each(['=1+1', '+cmd|calc', '-2+3', '@SUM(A1)', '\t=1', ' =1', '＝1', '\r=1'])(
    '%p is written as text, and read as it was',
    (text) => {
      expect(writeCell(text)).toStartWith(`"'`)
      expect(cellsOf(`${writeCell('a')},${writeCell(text)}\r\n`)).toEqual([['a', text]])
    },
  )

  test.each([
    ['+6281234567890', '+6281234567890'],
    ['-5', '-5'],
    [-5_000, '-5000'],
    [true, 'true'],
    [null, ''],
    ['a "b", c', '"a ""b"", c"'],
  ])('%p is written as %p', (value, text) => expect(writeCell(value)).toBe(text))
})

describe('a file', () => {
  test('is read back as it was written, whatever the cells hold', () => {
    // A cell that began with an apostrophe and a formula would be read without the apostrophe.
    const cell = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll("'", '').trim())
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 6 }), (rows) => {
        const filled = rows.map(([one, other]) => [`x${one}`, other])
        const text = [['a', 'b'], ...filled].map((cells) => writeLine(cells.map(writeCell))).join('')
        expect(cellsOf(text)).toEqual([['a', 'b'], ...filled])
      }),
    )
  })

  test('may be separated by semicolons or tabs, begin with a byte order mark and lack the last line end', () => {
    expect(cellsOf('\ufeffsku;name\n1;"a;b"')).toEqual([
      ['sku', 'name'],
      ['1', 'a;b'],
    ])
    expect(cellsOf('a\tb\r\n1\t2\r\n\r\n')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ])
  })

  test('has its lines counted as an editor counts them', () => {
    const read = readCsv('a,b\n"x\ny",1\n\n2,3\n')
    expect(read.ok && read.lines.map(({ line }) => line)).toEqual([1, 2, 5])
    expect(readCsv('a\n"open')).toMatchObject({ ok: false, line: 2 })
  })

  test('in Windows-1252 is decoded', () => {
    expect(decodeCsv(Uint8Array.from([0x43, 0x61, 0x66, 0xe9]))).toBe('Café')
  })
})
