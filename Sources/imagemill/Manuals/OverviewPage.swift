/// imagemill(1), which is enough to start with. Its commands and options come from the parser.
enum OverviewPage {
  /// The page in mdoc(7).
  /// - Parameter commands: The displayed commands.
  static func text(commands: [HelpDump.Command]) -> String {
    ManualPage.head("IMAGEMILL", section: 1) + introduction + self.commands(commands) + concepts
      + NetworkSection.text + options + ManualSections.environment + ManualSections.files
      + ExitStatusSection.overview
      + recipes + DiagnosticsSection.text + seeAlso(commands) + security
  }

  private static func commands(_ commands: [HelpDump.Command]) -> String {
    ".Sh COMMANDS\nEach command has a manual page, such as\n.Xr imagemill-run 1 ,\nand\n.Fl \\-help .\n"
      + ".Bl -tag -width Ds\n"
      + commands.map {
        ".It Cm \($0.commandName)\n\(ManualPage.text($0.abstract ?? ""))\n"
      }.joined() + ".El\n"
  }

  private static func seeAlso(_ commands: [HelpDump.Command]) -> String {
    let names = (commands.map { "imagemill-\($0.commandName)" } + ["curl", "make", "vipsthumbnail"]).sorted()
    return ".Sh SEE ALSO\n" + names.map { ".Xr \($0) 1 ,\n" }.joined()
      + ".Xr imagemill-manifest 5 ,\n.Xr imagemill-filters 7 ,\n.Xr imagemill-s3 7 ,\n"
      + ".Xr imagemill-scale 7\n"
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
    .Op Ar target ...
    .Nm
    .Cm pipe
    .Op Ar options
    .Op Fl f Ar chain
    .Fl o Ar template
    .Op Ar source ...
    .Nm
    .Cm convert
    .Op Ar options
    .Op Fl f Ar chain
    .Ar source output
    .Nm
    .Ar command
    .Op Ar options
    .Op Ar argument ...
    .Sh DESCRIPTION
    .Nm
    downloads each image once, applies chains of filters, and writes the results.
    Downloads and results are cached, so the next run does only what has changed.
    .Pp
    There are three ways to use it.
    .Cm convert
    converts one image, or several with
    .Fl o .
    .Cm pipe
    converts the sources on standard input, and prints the path of each output when it is written.
    .Cm run
    reads a manifest, which is a file that lists outputs, with the sources and filters to make them from.
    .Pp
    An image that can't be downloaded, decoded or written fails only its own job.
    The other jobs run, the failure is explained, and the exit status reports it.
    Outputs are replaced atomically: a new file is moved into place when it is complete.
    .Ss First steps
    A thumbnail of a local image, and a round one of an image on the Web:
    .Pp
    .Dl imagemill convert photo.jpg -f fill:200x200 thumbnail.jpg
    .Dl imagemill convert https://example.com/ada.jpg -f fill:128x128,circle ada.png
    .Pp
    Several images, with the manifest
    .Pa imagemill.yaml :
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
    Check it, show what would be done, and run it:
    .Pp
    .Dl imagemill validate
    .Dl imagemill plan
    .Dl imagemill run

    """#

  private static let concepts = #"""
    .Sh CONCEPTS
    .Ss Sources
    A source is an http or https URL, an S3 URL such as
    .Ql s3://bucket/key
    (see
    .Xr imagemill-s3 7 ) ,
    a file URL, a data URL, a path, or
    .Sq \-
    for standard input.
    Its format is detected from its first bytes, not from its name.
    Formats whose decoders are not hardened against hostile files, such as svg and pdf, are read only if listed in
    .Fl \-allow-format .
    .Pp
    Requests for sources and outputs go only to public addresses, unless
    .Fl \-allow-net
    allows other networks.
    Hosts in the operands of
    .Cm convert , fetch
    and
    .Cm inspect ,
    and in
    .Fl \-source
    of
    .Cm convert ,
    may be in any network; hosts in a chain may not.
    .Fl H
    headers and
    .Fl \-user
    credentials are sent to the origin of each source, never to another origin after a redirect.
    .Ss Filters and chains
    A chain is a list of filters, such as
    .Ql fill:100x100,circle .
    A filter's arguments follow its name after colons: positional ones first, then
    .Ar key Ns = Ns Ar value .
    \#(ManualPage.chainGrammar)
    These are the most common filters.
    \#(ManualPage.sizes)
    .Bl -tag -width Ds
    .It Cm fit : Ns Ar size
    Resize to fit inside the size.
    .It Cm limit : Ns Ar size
    Resize to fit inside the size, but never enlarge.
    .It Cm fill : Ns Ar size Ns Op : Ns Ar gravity
    Resize to cover the size, then crop to exactly that size.
    .It Cm pad : Ns Ar size
    Resize to fit inside the size, then pad to exactly that size.
    .It Cm circle , rounded : Ns Ar radius
    Crop to a circle, or round the corners.
    .It Cm overlay : Ns Ar source : Ns Ar gravity : Ns Ar x : Ns Ar y : Ns Ar opacity
    Draw another image, such as a watermark, over this one.
    .Fl \-source Ar name Ns = Ns Ar source
    names the other image.
    .El
    .Pp
    .Xr imagemill-filters 7
    and
    .Cm imagemill filters
    list all filters.
    .Ss Outputs
    The extension of an output's path, or
    .Fl \-format ,
    sets its format.
    The path is a template with fields such as
    .Li {name} ,
    the source's file name without extension,
    .Li {ext} , {index} , {width} , {height} , {format}
    and
    .Li {hash} ;
    .Xr imagemill-manifest 5
    lists them.
    The outputs of a manifest are written inside one directory (default: the manifest's; set it with
    .Ic output-dir
    or
    .Fl C ) .
    Paths outside it are refused.
    .Pp
    An animation stays an animation if the output's format can hold one, as webp and gif can.
    In other formats, only the first frame is written, except that tiff keeps the pages of a TIFF source.
    .Ss The cache
    Responses are cached as HTTP allows, and requested again only when they are stale.
    Outputs that are up to date are left alone.
    .Fl \-refresh
    revalidates every response,
    .Fl \-offline
    sends no request,
    .Fl \-no-cache
    bypasses the cache,
    .Fl \-stale-if-error
    serves stale responses if an origin fails, and
    .Fl \-force
    renders outputs even if they are up to date.
    .Ss Byte sizes and durations
    A byte size is a number of bytes, or a number with the unit
    .Li k , M , G , kB , MB , GB , KiB , MiB
    or
    .Li GiB ;
    .Li k , M
    and
    .Li G
    mean kB, MB and GB.
    A duration is a number of seconds, or a number with the unit
    .Li ms , s , m
    or
    .Li h .

    """#

  private static let options = #"""
    .Sh OPTIONS
    The options of each command are in its own page.
    These work with every command, and alone:
    .Bl -tag -width Ds
    .It Fl h , Fl \-help
    Print the command's options.
    .It Fl \-version
    Print the version.
    .El

    """#

  private static let security = #"""
    .Sh SECURITY CONSIDERATIONS
    Images, and the servers that send them, are not trusted.
    .Bl -dash
    .It
    Requests for sources and outputs go only to public addresses, unless
    .Fl \-allow-net
    allows others; see
    .Sx Networks .
    Exception:
    .Cm convert , fetch
    and
    .Cm inspect
    also connect to any host in their operands, and
    .Cm convert
    to any host in
    .Fl \-source ,
    but not to one in a chain.
    This restriction doesn't apply to a proxy, the remote cache, or the server of
    .Fl \-s3-credentials Cm instance .
    Except for these servers, the address of every connection is checked after name resolution, also after redirects.
    .It
    .Cm run , pipe
    and
    .Cm convert Fl o
    decode in sandboxed worker processes.
    .Cm convert
    with one image, and
    .Cm inspect ,
    decode in their own process unless
    .Fl \-sandbox Cm auto
    or
    .Cm strict
    is given.
    .It
    Formats whose decoders are not hardened against hostile files, such as svg and pdf, are read only with
    .Fl \-allow-format .
    .It
    .Fl H
    headers and
    .Fl \-user
    credentials are sent to the origin of each source: with a list, to every host in it.
    .Fl \-header-for
    limits the headers to the given origins.
    Redirects never carry them to another origin.
    Give credentials with
    .Fl \-netrc ,
    .Fl \-user Ar \- ,
    .Ev IMAGEMILL_HEADER
    or
    .Li ${VARIABLE}
    in a manifest: other users can read command lines.
    .It
    Outputs stay inside the output directory, and local sources inside the manifest's directory, unless
    .Fl \-allow-outside
    is given.
    .Cm convert
    reads and writes the paths that its arguments name, and
    .Cm pipe
    reads those of its operands.
    .El

    """#

  private static let recipes = #"""
    .Sh EXAMPLES
    Make a thumbnail:
    .Pp
    .Dl imagemill convert photo.jpg -f fill:200x200 thumbnail.jpg
    .Pp
    Convert every URL of a list on standard input:
    .Pp
    .Dl imagemill pipe -f fit:800x600 -o 'out/{name}.webp' < urls.txt
    .Pp
    Run a manifest; write the outputs to the directory
    .Pa public ,
    and a lock file, a contact sheet and a report for
    .Fl \-failed :
    .Pp
    .Dl imagemill run -C public --lock images.lock --report run.html --report run.ndjson images.yaml
    .Pp
    In CI, compare the manifest, the sources and the outputs with the lock file; the exit status is 3 if one differs:
    .Pp
    .Dl imagemill run --check --lock images.lock -C public images.yaml
    .Pp
    Repeat only the jobs that failed, according to the report of that run:
    .Pp
    .Dl imagemill run -C public --failed run.ndjson images.yaml
    .Pp
    Add a half-transparent watermark, 10 pixels from the corner:
    .Pp
    .Dl imagemill convert photo.jpg --source logo=logo.png -f overlay:logo:southeast:10:10:0.5 marked.jpg
    .Pp
    Make a responsive set, three widths in two formats, and its markup.
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
    Download from a private server, with a header that is sent to no other server; in a manifest, such headers belong
    under
    .Ic origins :
    .Pp
    .Dl IMAGEMILL_HEADER="Authorization: Bearer $TOKEN" imagemill convert https://images.example.com/private/photo.jpg private.jpg
    .Pp
    Run without the network, from the cache:
    .Pp
    .Dl imagemill run --offline -C public images.yaml
    .Pp
    List the outputs that earlier runs made and the manifest no longer lists, then remove them:
    .Pp
    .Dl imagemill run --prune --dry-run -C public images.yaml
    .Dl imagemill run --prune -C public images.yaml
    .Pp
    Make a round, animated avatar:
    .Pp
    .Dl imagemill convert spinner.gif -f fill:96x96,circle avatar.webp

    """#
}
