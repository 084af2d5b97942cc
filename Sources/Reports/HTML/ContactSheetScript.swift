/// The contact sheet's script: filtering, keyboard navigation and the crossfade. The page is complete without it.
enum ContactSheetScript {
  static let text = #"""
    'use strict';
    const cards = Array.from(document.querySelectorAll('article'));
    const search = document.getElementById('search');
    const buttons = Array.from(document.querySelectorAll('[data-filter]'));
    const texts = new Map();
    let wanted = 'all';
    let visible = cards;

    function fade(image) {
      image.classList.add('loaded');
    }
    function size(bytes) {
      for (const unit of ['B', 'kB', 'MB', 'GB']) {
        if (bytes < 1000 || unit === 'GB') return (unit === 'B' ? bytes : bytes.toFixed(1)) + ' ' + unit;
        bytes /= 1000;
      }
    }
    function change(made, before) {
      const percent = Math.round((made - before) / before * 100);
      return percent === 0 ? '0' : percent < 0 ? '−' + -percent : '+' + percent;
    }
    // An accented letter may be one code point or two, also in file names.
    function folded(text) {
      return text.normalize().toLowerCase();
    }
    function text(card) {
      if (!texts.has(card)) texts.set(card, folded(card.textContent));
      return texts.get(card);
    }
    function show() {
      const words = folded(search.value).split(/\s+/).filter(Boolean);
      let bytes = 0, made = 0, before = 0;
      visible = cards.filter(card => {
        const fits = (wanted === 'all' || card.dataset.status === wanted)
          && words.every(word => text(card).includes(word));
        if (card.hidden === fits) card.hidden = !fits;
        if (fits && card.dataset.bytes) {
          bytes += Number(card.dataset.bytes);
          if (card.dataset.sourceBytes > 0) {
            made += Number(card.dataset.bytes);
            before += Number(card.dataset.sourceBytes);
          }
        }
        return fits;
      });
      for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.filter === wanted));
      let sum = visible.length + ' of ' + cards.length;
      if (bytes > 0) sum += ', ' + size(bytes);
      if (before > 0) sum += ' (' + change(made, before) + ' %)';
      document.getElementById('shown').value = sum;
      document.getElementById('nothing').hidden = visible.length > 0 || cards.length === 0;
    }
    function choose(filter) {
      wanted = filter;
      show();
      remember();
    }
    // The fragment stores what is shown, so that links can select it: report.html#show=failed&find=hero
    function remember() {
      const state = new URLSearchParams();
      if (wanted !== 'all') state.set('show', wanted);
      if (search.value) state.set('find', search.value);
      history.replaceState(null, '', state.size ? '#' + state : location.pathname + location.search);
    }
    function recall() {
      const state = new URLSearchParams(location.hash.slice(1));
      const filter = state.get('show');
      wanted = buttons.some(button => button.dataset.filter === filter) ? filter : 'all';
      search.value = state.get('find') || '';
      show();
    }
    function focus(card) {
      if (!card) return;
      card.focus();
      card.scrollIntoView({block: 'nearest'});
    }
    function columns() {
      const sheet = document.getElementById('sheet');
      return getComputedStyle(sheet).gridTemplateColumns.split(' ').length;
    }

    document.documentElement.classList.add('js');
    document.addEventListener('load', event => {
      if (event.target.matches('img.full')) fade(event.target);
    }, true);
    document.addEventListener('error', event => {
      if (event.target.matches('img.full')) event.target.parentElement.classList.add('gone');
    }, true);
    const near = new IntersectionObserver(entries => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        near.unobserve(entry.target);
        const blur = entry.target.querySelector('img.blur');
        if (blur) blur.src = blur.dataset.src;
      }
    }, {rootMargin: '100% 0px'});
    for (const card of cards) near.observe(card);
    for (const image of document.querySelectorAll('img.full')) {
      if (image.complete && image.naturalWidth > 0) fade(image);
    }
    for (const button of buttons) button.addEventListener('click', () => choose(button.dataset.filter));
    search.addEventListener('input', () => choose(wanted));
    addEventListener('hashchange', recall);
    document.addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'Escape') {
        search.value = '';
        search.blur();
        return choose('all');
      }
      if (event.target === search) {
        if (event.key === 'Enter' || event.key === 'ArrowDown') {
          event.preventDefault();
          focus(visible[0]);
        }
        return;
      }
      if (event.key === '/') {
        event.preventDefault();
        return search.focus();
      }
      if (/^[0-4]$/.test(event.key)) return choose(buttons[Number(event.key)].dataset.filter);
      const steps = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns(), ArrowDown: columns()};
      const card = event.target.closest ? event.target.closest('article') : null;
      if (event.key in steps) {
        // Up and down scroll the page until an image has the focus.
        if (!card && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) return;
        event.preventDefault();
        const place = card ? visible.indexOf(card) : -1;
        const next = place < 0 ? 0 : Math.min(Math.max(place + steps[event.key], 0), visible.length - 1);
        focus(visible[next]);
      } else if (event.key === 'Enter' && event.target === card) {
        const picture = card.querySelector('a.picture');
        if (picture) picture.click();
      }
    });
    recall();
    """#
}
