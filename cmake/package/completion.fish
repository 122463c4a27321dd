# fish completion of bankstripe, of what the program lists
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

function __bankstripe_choices
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l program $words[1]
    set -l command $words[2]
    if test "$command" = wrap
        for other in $words[3..-1]
            string match -q -- '-*' $other; or return
        end
        string match -q -- '-*' $word; or begin
            __fish_complete_command
            return
        end
    end
    set -l option (string match -r -- '^--[a-z-]*=' $word)
    if test "$option" = --gpu-arch=
        $program analyze --gpu-arch=none . 2>&1 | string match -ra 'sm_[0-9]+' | string replace -r '^' -- $option # Those that there are.
    else if test -n "$option"
        $program $command --help | awk -v o="$option" '/^  -/ { on = index($1, o) == 1 } on && /^    =/ { print o substr($1, 2) }'
    else if string match -q -- '-*' $word
        $program $command --help | sed -n 's/^  \(-[a-z-]*=\{0,1\}\).*/\1/p'
    else if test "$command" = reason
        $program reason | cut -d ' ' -f 1
    end
end

complete -c bankstripe -n 'test (count (commandline -opc)) -eq 1' -f \
    -a "(bankstripe --help | string replace -rf '^  ([a-z]+) +- (.*)' '\$1\t\$2')"
complete -c bankstripe -n 'test (count (commandline -opc)) -gt 1' -a '(__bankstripe_choices)'
