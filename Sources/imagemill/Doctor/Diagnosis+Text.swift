import Reports

extension Diagnosis {
  /// The report as text: a line for each fact, then the findings.
  var text: String {
    var rows: [(String, String)] = [
      ("imagemill", imagemill),
      ("system", "\(system.name), \(system.kernel), \(system.architecture)"),
      ("libvips", libvips.version),
      ("codecs", libvips.libraries.joined(separator: " ")),
      (
        "libcurl", "\(libcurl.version), \(libcurl.tls ?? "no TLS"), \(libcurl.http2 ? "HTTP/2" : "no HTTP/2")"
      ),
      ("certificates", libcurl.certificates.joined(separator: " ")),
      ("reads", formats.read.joined(separator: " ")),
      ("on request", formats.readOnRequest.joined(separator: " ")),
      ("writes", formats.written.joined(separator: " ")),
      ("missing", formats.missing.isEmpty ? "nothing" : formats.missing.joined(separator: ", ")),
      (
        "processors",
        "\(processors.online)" + limit(processors.quota) + ", \(processors.slots) rendering slots"
      ),
      (
        "memory",
        Self.size(memory.installed) + limit(memory.limit.map(Self.size))
          + ", \(Self.size(memory.rendering)) for rendering"
      ),
    ]
    if let openFiles { rows.append(("open files", "\(openFiles.now), hard limit \(openFiles.most)")) }
    rows.append(("sandbox", sandbox))
    if let cache {
      rows.append(("cache", cache.directory + (cache.exists ? "" : " (not created yet)")))
      let room = cache.free.map { ", \(Self.size($0)) free" } ?? ""
      rows.append(
        (
          "",
          "\(Self.size(cache.bytes ?? 0)) of \(Self.size(cache.capacity)), \(cache.objects ?? 0) objects\(room)"
        ))
      rows.append(("", "\(cache.writable ? "writable" : "read-only"), index \(cache.index)"))
    }
    rows.append(
      ("temporary", temporary.directory + (temporary.free.map { ", \(Self.size($0)) free" } ?? "")))
    for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
      rows.append(("environment", "\(name)=\(value)"))
    }
    var lines = rows.map { "\($0.0.padded(to: 13))\($0.1)" }
    for finding in findings {
      lines.append("\(finding.isBroken ? "BROKEN" : "note")".padded(to: 13) + finding.problem)
      lines.append("".padded(to: 13) + finding.remedy)
    }
    if findings.isEmpty { lines.append("No problems found.") }
    return lines.joined(separator: "\n") + "\n"
  }

  private func limit(_ value: Double?) -> String { value.map { " (quota \($0))" } ?? "" }

  private func limit(_ value: String?) -> String { value.map { " (limit \($0))" } ?? "" }

  private static func size(_ bytes: Int) -> String { QuantityText.bytes(bytes) }
}
