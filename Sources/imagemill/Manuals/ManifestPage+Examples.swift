extension ManifestPage {
  /// EXAMPLES, and the end of the page.
  static let examples = #"""
    .Sh EXAMPLES
    A portrait and a responsive set of a photograph: seven files from two downloads.
    .Pa team.yaml :
    .Bd -literal -offset indent
    imagemill: 1
    base: https://example.com/
    filters:
      avatar: fill:128x128,circle
    defaults:
      quality: 80
    jobs:
      - {source: team/ada.jpg, filter: avatar, output: team/ada.png}
      - source: hero.jpg
        placeholder: https://example.com/missing.png
        outputs:
          - output: "hero-{width}.{ext}"
            filter: "limit:{width}x"
            matrix: {width: [400, 800, 1600], format: [webp, jpeg]}
    .Ed
    .Pp
    .Dl imagemill run team.yaml
    .Pp
    A server that requires a token; the token is read from the environment and sent to no other origin.
    .Pa private.yaml :
    .Bd -literal -offset indent
    imagemill: 1
    origins:
      https://images.example.com:
        headers: {Authorization: "Bearer ${TOKEN}"}
        max-active: 2
    jobs:
      - source: https://images.example.com/private/photo.jpg
        filter: fit:800x600
        output: private/photo.webp
    .Ed
    .Pp
    .Dl imagemill run --env TOKEN private.yaml
    .Pp
    A watermark, and a maximum size of 60 kB.
    .Pa marked.yaml :
    .Bd -literal -offset indent
    imagemill: 1
    sources:
      logo: logo.png
    filters:
      marked:
        - limit: {size: 1600x}
        - overlay:
            source: logo
            gravity: southeast
            x: 10
            y: 10
            opacity: 0.5
    jobs:
      - source: photo.jpg
        filter: marked
        max-bytes: 60kB
        output: "marked/{name}.jpg"
    .Ed
    .Pp
    .Dl imagemill run marked.yaml
    .Pp
    A cross dissolve from one image to another, as an animation.
    .Pa fade.yaml :
    .Bd -literal -offset indent
    imagemill: 1
    jobs:
      - source: photo.jpg
        filter: fill:120x120
        transition:
          from: logo.png
          kind: crossdissolve
          duration: 300ms
          fps: 10
        output: fade.webp
    .Ed
    .Pp
    .Dl imagemill run fade.yaml
    .Pp
    A manifest in TOML.
    .Pa team.toml :
    .Bd -literal -offset indent
    imagemill = 1

    [[jobs]]
    source = "https://example.com/team/ada.jpg"
    filter = "fill:128x128,circle"
    output = "toml/ada.png"
    .Ed
    .Pp
    .Dl imagemill run team.toml
    .Pp
    A table: columns that aren't keys are fields of the template.
    .Pa people.csv :
    .Bd -literal -offset indent
    source,id
    https://example.com/ada.jpg,1815
    https://example.com/grace.jpg,1906
    .Ed
    .Pp
    .Dl imagemill run -f fill:128x128 -o 'people/{id}.png' people.csv
    .Pp
    A catalog: three widths in two formats for each product.
    .Pa products.csv :
    .Bd -literal -offset indent
    sku,file,title
    K-1815,ada.jpg,"Ada, in blue"
    K-1906,grace.jpg,Grace
    .Ed
    .Pp
    .Pa catalog.yaml :
    .Bd -literal -offset indent
    imagemill: 1
    base: https://example.com/
    jobs:
      - from: products.csv
        source: "products/{file}"
        outputs:
          - output: "shop/{sku}-{width}.{ext}"
            filter: "limit:{width}x,text:{title}:gravity=south"
            matrix: {width: [200, 400, 800], format: [webp, jpeg]}
    .Ed
    .Pp
    .Dl imagemill run catalog.yaml
    .Pp
    Jobs from another program, one per line.
    .Pa jobs.ndjson :
    .Bd -literal -offset indent
    {"source":"photo.jpg","filter":"fit:90x90","output":"lines/a.png"}
    {"source":"logo.png","filter":"sepia","output":"lines/b.png"}
    .Ed
    .Pp
    .Dl imagemill run jobs.ndjson
    .Sh SEE ALSO
    .Xr imagemill 1 ,
    .Xr imagemill-run 1 ,
    .Xr imagemill-validate 1 ,
    .Xr imagemill-filters 7

    """#
}
