/// imagemill(1): what someone reads who has only `man imagemill`. Its commands and options come from the parser.
enum OverviewPage {
  /// The page; `commands` are those that are shown.
  static func text(commands: [HelpDump.Command]) -> String {
    ManualPage.head("IMAGEMILL", section: 1) + introduction + self.commands(commands) + concepts
      + options(commands) + ManualSections.environment + ManualSections.files + ManualSections.exitStatus
      + recipes + seeAlso(commands)
  }

  private static func commands(_ commands: [HelpDump.Command]) -> String {
    ".Sh COMMANDS\nEach has a page of its own, such as\n.Xr imagemill-run 1 ,\nand\n.Fl \\-help .\n"
      + ".Bl -tag -width Ds\n"
      + commands.map {
        ".It Cm \($0.commandName)\n\(ManualPage.text($0.abstract ?? ""))\n"
      }.joined() + ".El\n"
  }

  /// The working commands' options, each once. What only one command has is on that command's page.
  private static func options(_ commands: [HelpDump.Command]) -> String {
    var seen: Set<String> = []
    let working = ["run", "pipe", "convert"].compactMap { name in commands.first { $0.commandName == name } }
    let shared = working.flatMap { $0.arguments ?? [] }.filter { argument in
      guard argument.kind != "positional", argument.shouldDisplay else { return false }
      return seen.insert(argument.names?.map(\.name).joined(separator: " ") ?? "").inserted
    }
    let own = shared.filter { $0.sectionTitle == nil }.map { argument in
      var argument = argument
      argument.sectionTitle = "Commands' own"
      return argument
    }
    let titled = shared.filter { $0.sectionTitle != nil }
    return ".Sh OPTIONS\n" + optionsIntroduction
      + ManualPage.optionSections(titled + own).replacing(".Sh OPTIONS\n", with: "")
  }

  private static func seeAlso(_ commands: [HelpDump.Command]) -> String {
    let names = (commands.map { "imagemill-\($0.commandName)" } + ["curl", "make", "vipsthumbnail"]).sorted()
    return ".Sh SEE ALSO\n" + names.map { ".Xr \($0) 1 ,\n" }.joined()
      + ".Xr imagemill-manifest 5 ,\n.Xr imagemill-filters 7\n"
  }

  private static let introduction = #"""
    .Sh NAME
    .Nm imagemill
    .Nd make for images
    .Sh SYNOPSIS
    .Nm
    .Cm run
    .Op Ar options
    .Op Ar manifest ...
    .Nm
    .Cm pipe
    .Op Ar options
    .Fl f Ar chain
    .Fl o Ar template
    .Nm
    .Cm convert
    .Op Ar options
    .Fl f Ar chain
    .Ar source output
    .Nm
    .Ar command
    .Op Ar options
    .Op Ar argument ...
    .Sh DESCRIPTION
    .Nm
    downloads pictures, each of them once, applies chains of filters to them, and writes the results.
    What it has downloaded and computed is kept, so that the next run does only what has changed.
    .Pp
    There are three ways to use it.
    .Cm convert
    makes one picture of another.
    .Cm pipe
    reads sources from standard input, and tells of each file as it is finished.
    .Cm run
    reads a manifest, a file that says which outputs are made of which sources.
    .Pp
    A picture that can't be downloaded, read or written costs its own job and no other: the rest is done, the failure is
    explained, and the exit status says so.
    Every file appears whole, by a rename in its own directory, or not at all.
    .Ss First steps
    A thumbnail of a picture at hand, and a round one of a picture on the Web:
    .Pp
    .Dl imagemill convert photo.jpg -f fill:200x200 thumbnail.jpg
    .Dl imagemill convert https://example.com/ada.jpg -f fill:128x128,circle ada.png
    .Pp
    Many, with a manifest
    .Pa imagemill.yaml
    that holds
    .Bd -literal -offset indent
    imagemill: 1
    base: https://example.com/
    filters:
      avatar: fill:128x128,circle
    jobs:
      - {source: team/ada.jpg, filter: avatar, output: team/ada.png}
      - {source: team/grace.jpg, filter: avatar, output: team/grace.png}
    .Ed
    .Pp
    and then, to check it, to see what would be done, and to do it:
    .Pp
    .Dl imagemill validate
    .Dl imagemill plan
    .Dl imagemill run

    """#

  private static let concepts = #"""
    .Sh CONCEPTS
    .Ss Sources
    A source is an http or https URL, a file URL, a path, a data URL, or
    .Sq \-
    for standard input.
    The first bytes say what it is, not its name.
    Formats whose readers are not known to be safe, such as svg and pdf, are read where
    .Fl \-allow-format
    names them.
    .Pp
    Only addresses of the public Internet are reached, unless
    .Fl \-allow-net
    names more.
    .Cm convert , fetch
    and
    .Cm inspect
    also reach the networks of hosts that are typed as arguments.
    Credentials and headers go to their own origin, and never on to another one by a redirect.
    .Ss Filters and chains
    A chain is filters in order, such as
    .Ql fill:100x100,circle .
    A filter's arguments follow its name after colons: positional ones first, then
    .Ar key Ns = Ns Ar value .
    \#(ManualPage.chainGrammar)
    The commonest, for a size
    .Ar width Ns x Ns Ar height ,
    one of which may be left out in
    .Cm fit
    and
    .Cm limit :
    .Bl -tag -width Ds
    .It Cm fit : Ns Ar size
    within the size, in proportion.
    .It Cm limit : Ns Ar size
    the same, but nothing is enlarged.
    .It Cm fill : Ns Ar size Ns Op : Ns Ar gravity
    exactly the size, in proportion; what stands over is cut off.
    .It Cm pad : Ns Ar size
    exactly the size, in proportion; what is missing is filled.
    .It Cm circle , rounded : Ns Ar radius
    round, or with round corners.
    .It Cm overlay : Ns Ar source : Ns Ar gravity : Ns Ar x : Ns Ar y : Ns Ar opacity
    another picture over this one: a watermark.
    The source is named with
    .Fl \-source Ar name Ns = Ns Ar source .
    .El
    .Pp
    .Xr imagemill-filters 7
    and
    .Cm imagemill filters
    tell of all of them.
    .Ss Outputs
    An output's format follows the extension of its path, or
    .Fl \-format .
    In
    .Cm pipe
    and in manifests the path is a template with fields such as
    .Li {name} ,
    the source's file name without extension,
    .Li {ext} , {index} , {width} , {height} , {format}
    and
    .Li {hash} ;
    .Xr imagemill-manifest 5
    lists them.
    Outputs lie inside one directory, the manifest's own or
    .Fl C ,
    and a path that leaves it is refused.
    .Pp
    An animation stays one through any chain, where the output's format can hold it: webp and gif can.
    .Ss The cache
    Sources are kept as HTTP allows, and asked for again only when they are no longer fresh.
    An output that is in place with the right bytes is left alone.
    .Fl \-refresh
    asks every origin again,
    .Fl \-offline
    asks none,
    .Fl \-no-cache
    keeps nothing,
    .Fl \-stale-if-error
    takes what has gone stale where an origin fails,
    .Fl \-force
    makes again what is up to date.
    .Ss Sizes and times
    A size is a number of bytes, or has a unit:
    .Li kB , MB , GB , KiB , MiB , GiB .
    A time has the unit
    .Li ms , s , m
    or
    .Li h .

    """#

  private static let optionsIntroduction = #"""
    These are the options of
    .Cm run , pipe
    and
    .Cm convert .
    Not every command has all of them; its own page tells.

    """#

  private static let recipes = #"""
    .Sh EXAMPLES
    A thumbnail, once:
    .Pp
    .Dl imagemill convert photo.jpg -f fill:200x200 thumbnail.jpg
    .Pp
    Every URL of a list on standard input:
    .Pp
    .Dl imagemill pipe -f fit:800x600 -o 'out/{name}.webp' < urls.txt
    .Pp
    All of a manifest, its outputs below
    .Pa public ,
    with reports to look at and to go on from:
    .Pp
    .Dl imagemill run -C public --report run.html --report run.ndjson images.yaml
    .Pp
    In CI, whether every output is in place and up to date; the exit status is 3 when one isn't:
    .Pp
    .Dl imagemill run --check -C public images.yaml
    .Pp
    Only what failed in that run, again:
    .Pp
    .Dl imagemill run -C public --failed run.ndjson images.yaml
    .Pp
    A watermark in a corner, 10 pixels from the edges and half transparent:
    .Pp
    .Dl imagemill convert photo.jpg --source logo=logo.png -f overlay:logo:southeast:10:10:0.5 marked.jpg
    .Pp
    A responsive set: three widths in two formats, and the markup that shows them.
    .Pa responsive.yaml :
    .Bd -literal -offset indent
    imagemill: 1
    jobs:
      - source: https://example.com/hero.jpg
        outputs:
          - output: "hero-{width}.{ext}"
            filter: "limit:{width}x"
            matrix: {width: [400, 800, 1600], format: [webp, jpeg]}
    .Ed
    .Pp
    .Dl imagemill run --emit picture=hero.html responsive.yaml
    .Pp
    From a private bucket, with a header that no other server gets; in a manifest, such headers are under
    .Ic origins :
    .Pp
    .Dl imagemill convert -H "Authorization: Bearer $TOKEN" https://images.example.com/private/photo.jpg private.jpg
    .Pp
    Without the network, from what the cache holds:
    .Pp
    .Dl imagemill run --offline -C public images.yaml
    .Pp
    Outputs that earlier runs have made and the manifest no longer names, removed; first said, then done:
    .Pp
    .Dl imagemill run --prune --dry-run -C public images.yaml
    .Dl imagemill run --prune -C public images.yaml
    .Pp
    An animated, round avatar:
    .Pp
    .Dl imagemill convert spinner.gif -f fill:96x96,circle avatar.webp

    """#
}
