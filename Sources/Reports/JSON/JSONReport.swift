import ImageBatch

/// `{"version":1,"imagemill":"1.0.0","summary":{…},"outputs":[…]}`, with one output per line.
struct JSONReport: ReportDocument {
  let version: String
  let separator = ",\n"

  func head(_ summary: BatchSummary) -> [UInt8] {
    var json = JSONWriter()
    json.document { json in
      json.member("imagemill", version)
      json.member("summary", object: { $0.members(summary) })
      json.member("outputs", array: { _ in })
    }
    return json.bytes.dropLast(2) + Array("\n".utf8)
  }

  func entry(_ result: OutputResult) -> [UInt8] {
    var json = JSONWriter()
    json.reportEntry(result)
    return json.bytes + Array(separator.utf8)
  }

  func tail(_ summary: BatchSummary) -> [UInt8] { Array("\n]}\n".utf8) }
}

/// One output per line, which `--failed` reads.
struct NDJSONReport: ReportDocument {
  let separator = ""

  func head(_ summary: BatchSummary) -> [UInt8] { [] }

  func entry(_ result: OutputResult) -> [UInt8] {
    var json = JSONWriter()
    json.reportLine(result)
    return json.bytes + [UInt8(ascii: "\n")]
  }

  func tail(_ summary: BatchSummary) -> [UInt8] { [] }
}
