/// What the report does beside being read: the slider, and the reader's choice of appearance, remembered.
enum ReportScript {
    /// Runs before the page is drawn, so that nothing flashes.
    static let early = """
        document.documentElement.classList.add('js');
        (function(){try{var a=localStorage.getItem('nightfuse-appearance');
        if(a==='light'||a==='dark')document.documentElement.dataset.appearance=a}catch(e){}})();
        """

    /// Runs at the end. Storage may be forbidden (files opened from disk in some browsers): the choice then lasts as long
    /// as the page.
    static let late = """
        (function(){
        var root=document.documentElement;
        document.querySelectorAll('.split').forEach(function(split){
        var stage=split.closest('.stage');
        function show(){stage.style.setProperty('--split',split.value+'%');
        split.setAttribute('aria-valuetext',split.value+' % before')}
        split.addEventListener('input',show);show()});
        document.querySelectorAll('input[name=appearance]').forEach(function(input){
        input.checked=input.value===(root.dataset.appearance||'system');
        input.addEventListener('change',function(){
        if(input.value==='system')delete root.dataset.appearance;else root.dataset.appearance=input.value;
        try{if(input.value==='system')localStorage.removeItem('nightfuse-appearance');
        else localStorage.setItem('nightfuse-appearance',input.value)}catch(e){}})});
        })();
        """
}
