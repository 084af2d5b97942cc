import Vips

/// All that is known of one filter: what parses it, prints it, documents it and runs it.
public struct FilterDefinition: Sendable {
  /// The parts of the manual.
  public enum Category: String, Sendable, CaseIterable {
    case resizing = "Resizing"
    case shape = "Shape"
    case orientation = "Orientation"
    case tone = "Colour and tone"
    case effects = "Effects"
    case composition = "Composition"
    case coreImage = "Core Image by name"
  }

  /// Another name, with the arguments that it stands for: AlamofireImage's types, mostly.
  public struct Alias: Sendable {
    /// As it is written in manuals; letter case doesn't count.
    public let name: String
    /// Arguments that the alias fixes unless they are given, by key.
    public let presets: [String: String]
  }

  /// The canonical name, in lower case but for Core Image's.
  public let name: String
  /// Its other names.
  public let aliases: [Alias]
  /// The part of the manual that it belongs to.
  public let category: Category
  /// What comes out, in one line.
  public let summary: String
  /// In the order of positional arguments.
  public let parameters: [FilterParameter]
  /// A chain that shows it.
  public let example: String
  /// Parameters of which one must be given; empty where nothing of the kind is asked.
  let needsOneOf: [String]
  /// For a name that stands for a chain: that chain in words (`fill:S,circle`).
  public let expansion: String?

  let behaviour: Behaviour

  /// How a filter does its work.
  enum Behaviour: Sendable {
    /// On one frame.
    case frame(FrameTraits, @Sendable (FilterPass) throws -> VipsImage)
    /// By being a chain of other filters.
    case chain(@Sendable (FilterArguments) throws(FilterError) -> [FilterStep])
  }

  /// How a filter reads its input. It decides what is kept, so that no filter computes a pixel twice.
  enum Reading: Sendable, Hashable {
    /// Every pixel once, from top to bottom.
    case once
    /// From top to bottom, some lines several times in a row, as resamplers do.
    case overlapping
    /// In any order, any number of times.
    case anywhere
  }

  /// What may be assumed of a filter when pipelines are laid.
  struct FrameTraits: Sendable {
    /// Each pixel depends on the same pixel alone, so that all frames can be done at once.
    var isPointwise = false
    /// How it reads the pixels of its input.
    var reading = Reading.once
    /// Its pixels are its input's, elsewhere: reading them again costs no more than reading the input again.
    var movesPixels = false
    /// It moves and blends pixels but doesn't care what colours they are.
    var keepsColourSpace = false
    /// It makes several frames of one.
    var makesFrames = false
    /// The result's sides; the input's unless given. At most these, where they depend on what the picture shows.
    var size: (@Sendable (FilterArguments, Extent) throws -> (width: Double, height: Double))?
    /// Whether the result may have an alpha where the input has none.
    var addsAlpha = false
    /// Whether it may make colors of gray by itself. Those of its arguments are looked at anyway.
    var addsColour = false
    /// What it keeps while its result is read, in bytes, beside its input.
    var keeps: (@Sendable (FilterArguments, FrameForecast) throws -> Double)?
    /// For a filter that resizes the whole picture first: to which size, before anything is cut off.
    var scaledSize: (@Sendable (FilterArguments, Extent) throws -> (width: Double, height: Double))?
  }

  init(
    _ name: String, _ category: Category, _ summary: String, aliases: [Alias] = [],
    parameters: [FilterParameter] = [], needsOneOf: [String] = [], example: String,
    traits: FrameTraits = FrameTraits(),
    run: @escaping @Sendable (FilterPass) throws -> VipsImage
  ) {
    self.name = name
    self.aliases = aliases
    self.category = category
    self.summary = summary
    self.parameters = parameters
    self.needsOneOf = needsOneOf
    self.example = example
    expansion = nil
    behaviour = .frame(traits, run)
  }

  init(
    _ name: String, _ category: Category, _ summary: String, aliases: [Alias] = [],
    parameters: [FilterParameter], example: String, standsFor expansion: String,
    steps: @escaping @Sendable (FilterArguments) throws(FilterError) -> [FilterStep]
  ) {
    self.name = name
    self.aliases = aliases
    self.category = category
    self.summary = summary
    self.parameters = parameters
    needsOneOf = []
    self.example = example
    self.expansion = expansion
    behaviour = .chain(steps)
  }
}

extension FilterDefinition {
  /// A file name with an extension whose format can hold what the filter makes, for examples.
  public var exampleOutput: String {
    if case .frame(let traits, _) = behaviour, traits.makesFrames { "out.webp" } else { "out.png" }
  }
}

extension FilterDefinition.Alias: ExpressibleByStringLiteral {
  /// An alias without presets.
  public init(stringLiteral name: String) {
    self.init(name: name, presets: [:])
  }
}
