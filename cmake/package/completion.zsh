#compdef bankstripe
# zsh completion of bankstripe, of what the program lists
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

_bankstripe() {
  local program=$words[1] command=$words[2] word=$words[CURRENT] at
  local -a choices
  if ((CURRENT == 2)); then
    choices=(${(f)"$("$program" --help | sed -n 's/^  \([a-z]*\) *- \(.*\)/\1:\2/p')"})
    _describe command choices
    return
  fi
  if [[ $command == wrap ]]; then
    for ((at = 3; at < CURRENT; ++at)); do
      if [[ $words[at] != -* ]]; then
        shift $((at - 1)) words
        ((CURRENT -= at - 1))
        _normal
        return
      fi
    done
    [[ $word == -* ]] || { _command_names -e; return }
  fi
  if [[ $word == --gpu-arch=* ]]; then
    choices=(${(f)"$("$program" analyze --gpu-arch=none . 2>&1 | grep -o 'sm_[0-9]*')"}) # Those that there are.
  elif [[ $word == --*=* ]]; then
    choices=(${(f)"$("$program" "$command" --help | awk -v o="${word%%=*}=" \
      '/^  -/ { on = index($1, o) == 1 } on && /^    =/ { print substr($1, 2) }')"})
  elif [[ $word == -* ]]; then
    choices=(${(f)"$("$program" "$command" --help | sed -n 's/^  \(-[a-z-]*=\{0,1\}\).*/\1/p')"})
    compadd -S '' -- ${(M)choices:#*=}
    compadd -- ${choices:#*=}
    return
  elif [[ $command == reason ]]; then
    choices=(${(f)"$("$program" reason | cut -d ' ' -f 1)"})
  fi
  [[ $word == --*=* ]] && compset -P '*='
  if (($#choices)); then compadd -- $choices; else _files; fi
}
_bankstripe "$@"
