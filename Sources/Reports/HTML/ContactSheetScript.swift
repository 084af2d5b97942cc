/// The contact sheet's script: filtering, keyboard navigation and the crossfade. The page is complete without it.
enum ContactSheetScript {
  static let text = #"""
    'use strict';
    const cards = Array.from(document.querySelectorAll('article'));
    const search = document.getElementById('search');
    const buttons = Array.from(document.querySelectorAll('[data-filter]'));
    const sections = Array.from(document.querySelectorAll('#sheet > section'));
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
    function fits(card) {
      return wanted === 'all' || card.dataset.status === wanted
        || (card.dataset.tags || '').split(' ').includes(wanted);
    }
    function show() {
      const words = folded(search.value).split(/\s+/).filter(Boolean);
      let bytes = 0, made = 0, before = 0;
      const counted = new Set();
      visible = cards.filter(card => {
        const isShown = fits(card) && words.every(word => text(card).includes(word));
        if (card.hidden === isShown) card.hidden = !isShown;
        if (isShown && card.dataset.bytes) {
          bytes += Number(card.dataset.bytes);
          if (card.dataset.sourceBytes > 0) {
            made += Number(card.dataset.bytes);
            // A source counts once, however many of its outputs are shown.
            if (!counted.has(card.dataset.source)) before += Number(card.dataset.sourceBytes);
            counted.add(card.dataset.source);
          }
        }
        return isShown;
      });
      for (const section of sections) {
        if (section.id === 'gone') section.hidden = wanted !== 'all' || words.length > 0;
        else section.hidden = !section.querySelector('article:not([hidden])');
      }
      cut.addEventListener('input', move);
    for (const kind of ['pointerdown', 'pointermove']) {
      stage.addEventListener(kind, event => {
        if (event.buttons !== 1) return;
        event.preventDefault();
        const box = stage.getBoundingClientRect();
        cut.value = Math.min(Math.max((event.clientX - box.left) / box.width * 100, 0), 100);
        move();
      });
    }
    document.getElementById('close').addEventListener('click', () => dialog.close());
    dialog.addEventListener('click', event => {
      if (event.target === dialog) dialog.close();
    });
    document.getElementById('sheet').addEventListener('click', event => {
      if (event.target.matches('button.compare')) compare(event.target.closest('article'));
    });
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.filter === wanted));
      let sum = visible.length + ' of ' + cards.length;
      if (bytes > 0) sum += ', ' + size(bytes);
      if (before > 0) sum += ' (' + change(made, before) + ' %)';
      document.getElementById('shown').value = sum;
      document.getElementById('nothing').hidden = visible.length > 0 || cards.length === 0;
    }
    function choose(filter) {
      const button = buttons.find(button => button.dataset.filter === filter);
      if (!button || button.disabled) return;
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
    // The card in the row above (-1) or below (1) whose left edge is nearest.
    function neighbour(card, direction) {
      const start = card.getBoundingClientRect();
      let row, best;
      for (let place = visible.indexOf(card) + direction; visible[place]; place += direction) {
        const box = visible[place].getBoundingClientRect();
        if (Math.abs(box.top - start.top) < 1) continue;
        if (row === undefined) row = box.top;
        if (Math.abs(box.top - row) >= 1) break;
        const distance = Math.abs(box.left - start.left);
        if (!best || distance < best.distance) best = {card: visible[place], distance};
      }
      return best ? best.card : card;
    }

    const dialog = document.getElementById('compare');
    const cut = document.getElementById('cut');
    const stage = document.getElementById('stage');
    function move() {
      stage.style.setProperty('--cut', cut.value + '%');
    }
    function compare(card) {
      const button = card && card.querySelector('button.compare');
      if (!button) return;
      const facts = card.querySelector('.facts');
      const before = new Image(), after = new Image();
      before.className = 'before';
      before.alt = 'the source';
      after.alt = 'the output';
      before.addEventListener('error', () => {
        document.getElementById('missing').hidden = false;
        cut.value = 0;
        move();
      });
      before.addEventListener('load', () => {
        document.getElementById('before-label').textContent =
          'source, ' + before.naturalWidth + ' × ' + before.naturalHeight
          + (card.dataset.sourceBytes ? ', ' + size(Number(card.dataset.sourceBytes)) : '');
      });
      document.getElementById('missing').hidden = true;
      document.getElementById('compared').textContent = card.querySelector('h3').textContent;
      document.getElementById('before-label').textContent = 'source';
      document.getElementById('after-label').textContent = facts ? facts.textContent : 'output';
      before.src = button.dataset.before;
      after.src = card.querySelector('a.picture').href;
      stage.replaceChildren(after, before);
      cut.value = 50;
      move();
      dialog.showModal();
      cut.focus();
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
      if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
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
      if (/^[0-5]$/.test(event.key)) return choose(buttons[Number(event.key)].dataset.filter);
      const steps = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1};
      const card = event.target.closest ? event.target.closest('article') : null;
      if (event.key in steps) {
        // Up and down scroll the page until an image has the focus.
        if (!card && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) return;
        event.preventDefault();
        const place = card ? visible.indexOf(card) : -1;
        if (place < 0) return focus(visible[0]);
        const isRow = event.key === 'ArrowUp' || event.key === 'ArrowDown';
        focus(isRow ? neighbour(card, steps[event.key]) : visible[place + steps[event.key]]);
      } else if (event.key === 'c') {
        compare(card);
      } else if (event.key === 'Enter' && event.target === card) {
        const picture = card.querySelector('a.picture');
        if (picture) picture.click();
      }
    });
    recall();
    """#
}
