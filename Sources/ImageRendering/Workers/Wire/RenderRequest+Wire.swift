import ImageCaches
import ImageFilters

extension RenderRequest: WireValue {
  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(sourceName)
    try writer.write(source)
    try writer.write(sourceDigest)
    try RenderLimits.memo.write(limits, to: &writer)
    try writer.write(onCorrupt)
    try writer.write(auxiliary)
    try writer.write(recipes)
    try writer.write(wantsPlaceholders)
    try writer.write(concurrency)
    try writer.write(memoryEstimate)
    try writer.write(wantsInspection)
    try writer.write(renditions)
    try writer.write(files)
  }

  init(from reader: inout WireReader) throws(WireError) {
    sourceName = try reader.read()
    source = try reader.read()
    sourceDigest = try reader.read()
    limits = try RenderLimits.memo.read(from: &reader)
    onCorrupt = try reader.read()
    auxiliary = try reader.read()
    recipes = try reader.read()
    wantsPlaceholders = try reader.read()
    concurrency = try reader.read()
    memoryEstimate = try reader.read()
    wantsInspection = try reader.read()
    renditions = try reader.read()
    files = try reader.read()
  }
}

extension RenderLimits {
  fileprivate static let memo = WireMemo<RenderLimits>()
}

extension PlacedFile: WireValue {
  func write(to writer: inout WireWriter) throws(WireError) {
    switch self {
    case .copy(let path):
      try writer.write(true)
      try writer.write(path)
    case .refused(let reason):
      try writer.write(false)
      try writer.write(reason)
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    self = try reader.read(Bool.self) ? .copy(try reader.read()) : .refused(try reader.read())
  }
}

extension CorruptPolicy: WireValue {}
extension RenditionPolicy: WireValue {}

extension RenderRecipe: WireValue {
  private static let chains = WireMemo<FilterChain>()
  private static let encodings = WireMemo<Encoding>()

  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(id)
    try Self.chains.write(chain, to: &writer)
    try Self.encodings.write(encoding, to: &writer)
    try writer.write(temporaryPath)
  }

  init(from reader: inout WireReader) throws(WireError) {
    id = try reader.read()
    chain = try Self.chains.read(from: &reader)
    encoding = try Self.encodings.read(from: &reader)
    temporaryPath = try reader.read()
  }
}

extension AuxiliarySource: WireValue {
  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(place)
    try writer.write(digest)
    try writer.write(name)
  }

  init(from reader: inout WireReader) throws(WireError) {
    place = try reader.read()
    digest = try reader.read()
    name = try reader.read()
  }
}

extension RenditionPlan: WireValue {
  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(stored)
    try writer.write(files)
    try writer.write(policy)
  }

  init(from reader: inout WireReader) throws(WireError) {
    stored = try reader.read()
    files = try reader.read()
    policy = try reader.read()
  }
}
