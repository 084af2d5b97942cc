import Vips

/// The definition of one filter, from which it is parsed, printed, documented and run.
public struct FilterDefinition: Sendable {
  /// The sections of imagemill-filters(7), in its order. The raw values are the section titles.
  public enum Category: String, Sendable, CaseIterable {
    /// Filters that change the size or the area of the image.
    case resizing = "Resizing"
    /// Filters that cut the image to a shape.
    case shape = "Shape"
    /// Filters that turn and mirror the image.
    case orientation = "Orientation"
    /// Filters that change colors, contrast and alpha.
    case tone = "Color and tone"
    /// Filters that blur, sharpen or stylize.
    case effects = "Effects"
    /// Filters that combine the image with other images or text.
    case composition = "Composition"
    /// Filters that are called by their Core Image names (`ci:NAME`).
    case coreImage = "Core Image by name"
  }

  /// Another name with its default arguments, often an AlamofireImage type.
  public struct Alias: Sendable {
    /// The name as manuals write it. Lookup ignores letter case.
    public let name: String
    /// The alias's own default arguments, by key.
    public let presets: [String: String]
  }

  /// The canonical name; lower case except for Core Image filters.
  public let name: String
  /// The filter's other names, each with its own defaults; may be empty.
  public let aliases: [Alias]
  /// The manual section that documents the filter.
  public let category: Category
  /// What the filter does, in one line.
  public let summary: String
  /// The parameters, in the order of positional arguments.
  public let parameters: [FilterParameter]
  /// An example chain that uses the filter.
  public let example: String
  /// Parameters of which at least one must be given; empty if the filter has no such rule.
  package let needsOneOf: [String]
  /// The chain that the name expands to, such as `fill:S,circle`; nil if the filter runs on its own.
  public let expansion: String?

  let behavior: Behavior

  /// How a filter is implemented.
  enum Behavior: Sendable {
    /// A function of one frame.
    case frame(FrameTraits, @Sendable (FilterPass) throws -> VipsImage)
    /// A chain of other filters.
    case chain(@Sendable (FilterArguments) throws(FilterError) -> [FilterStep])
  }

  /// How a filter reads its input. This decides whether the input is stored, so that no filter computes a pixel twice.
  enum Reading: Sendable, Hashable {
    /// Every pixel once, from top to bottom.
    case once
    /// From top to bottom, reading some lines several times in a row, as resamplers do.
    case overlapping
    /// In any order, any number of times.
    case anywhere
  }

  /// The properties of a filter that a pipeline relies on.
  struct FrameTraits: Sendable {
    /// Each output pixel depends only on the input pixel at its position, so that all frames can be filtered at once.
    var isPointwise = false
    /// How the filter reads its input.
    var reading = Reading.once
    /// The filter only moves pixels: reading its result again costs no more than reading its input again.
    var movesPixels = false
    /// The filter moves or blends pixels without depending on their colors.
    var keepsColorSpace = false
    /// The filter turns one frame into several.
    var makesFrames = false
    /// The result's size (default: the input's). An upper bound if it depends on the image's content.
    var size: (@Sendable (FilterArguments, Size) throws -> (width: Double, height: Double))?
    /// Whether the result may have alpha if the input has none.
    var addsAlpha = false
    /// Whether the filter may turn gray into color by itself. Colors in its arguments are checked separately.
    var addsColor = false
    /// The memory, in bytes, that the filter holds besides its input while its result is read.
    var keeps: (@Sendable (FilterArguments, FrameForecast) throws -> Double)?
    /// The size to which the filter first resizes the whole image, before cropping; nil if it doesn't resize first.
    var scaledSize: (@Sendable (FilterArguments, Size) throws -> (width: Double, height: Double))?
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
    behavior = .frame(traits, run)
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
    behavior = .chain(steps)
  }
}

extension FilterDefinition {
  /// An output file name for examples, in a format that can hold the filter's result.
  public var exampleOutput: String {
    if case .frame(let traits, _) = behavior, traits.makesFrames { "out.webp" } else { "out.png" }
  }
}

extension FilterDefinition.Alias: ExpressibleByStringLiteral {
  /// Creates an alias without presets, from its name.
  public init(stringLiteral name: String) {
    self.init(name: name, presets: [:])
  }
}
